import { measureRows } from "../rows/measure-rows.js";
import { platformRequests } from "../rows/platform.js";
import type { Bench } from "../runner/bench.js";
import { goals } from "../runner/goals.js";

const { read, create } = goals.platform;

export const platform: Bench = {
  name: "platform",
  about: "a request to mgmt dev, whose records are in Postgres, over 10 connections",
  run: (rounds = 7) =>
    measureRows(platformRequests, rounds, [
      ...[read.node, read.postgres],
      ...[read.node, read.postgres],
      ...[create.node, create.postgres],
    ]),
};
