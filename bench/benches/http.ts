import { longList, shortList } from "../rows/http.js";
import { measureRows } from "../rows/measure-rows.js";
import type { Bench } from "../runner/bench.js";
import { goals } from "../runner/goals.js";

export const http: Bench = {
  name: "http",
  about:
    "a request over HTTP with auth and validation, over 50 connections, compared with node:http sending the same bytes",
  run: async (rounds = 11) => [
    ...(await measureRows(shortList, rounds, [goals.http.shortList])),
    ...(await measureRows(longList, rounds, [goals.http.longList])),
  ],
};
