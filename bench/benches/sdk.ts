import type { Bench } from "../runner/bench.js";
import { bundleSizes } from "./sdk/bundle.js";
import { callOverheads } from "./sdk/calls.js";
import { importTimes } from "./sdk/import-time.js";
import { walkPages } from "./sdk/pages.js";
import { typeCosts } from "./sdk/types.js";

/** The built SDK, compared with the installed SDKs of other services. */
export const sdk: Bench = {
  name: "sdk",
  about: "what the SDK costs in bytes, at start, in the compiler and for a call, beside other services' SDKs",
  run: async (rounds) => [
    ...(await bundleSizes()),
    await importTimes(rounds ?? 11),
    ...(await typeCosts(rounds ?? 7)),
    ...(await callOverheads(rounds ?? 11)),
    await walkPages(rounds ?? 5),
  ],
};
