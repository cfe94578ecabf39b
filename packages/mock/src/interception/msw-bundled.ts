import { getResponse, http, passthrough } from "msw";
import { defaultNetworkOptions, setupServer } from "msw/node";
import type { Msw } from "./msw.js";

const bundledMsw: Msw = {
  getResponse,
  http,
  passthrough,
  setupServer,
  sources: defaultNetworkOptions.sources,
};

/** Returns the parts of MSW that intercept requests. Replaces `msw.ts` in the CommonJS build, which contains MSW. */
export const requireMsw = (): Msw => bundledMsw;
