import { engineList } from "../rows/engine.js";
import { measureRows } from "../rows/measure-rows.js";
import type { Bench } from "../runner/bench.js";
import { goals } from "../runner/goals.js";

export const engine: Bench = {
  name: "engine",
  about: "a full page of databases from the engine, without HTTP",
  run: (rounds = 11) => measureRows(engineList, rounds, [goals.engine]),
};
