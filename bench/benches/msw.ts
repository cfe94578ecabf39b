import { measureRows } from "../rows/measure-rows.js";
import { mswRequest } from "../rows/msw.js";
import type { Bench } from "../runner/bench.js";
import { goals } from "../runner/goals.js";

export const msw: Bench = {
  name: "msw",
  about:
    "one in-process request through setupMock, compared with one static http.all handler with the same bytes",
  run: (rounds = 11) => measureRows(mswRequest, rounds, [goals.msw]),
};
