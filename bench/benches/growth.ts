import assert from "node:assert/strict";
import { type GrowthOperation, type GrowthServer, growthOperations } from "../programs/calls.js";
import type { Bench, Finding, Series } from "../runner/bench.js";
import { goals } from "../runner/goals.js";
import { type Program, startProgram } from "../runner/program.js";
import { jobGrowth } from "./job-growth.js";
import { platformGrowth } from "./platform-growth.js";
import { measureAlternately, median, ratios } from "../runner/rounds.js";

const sizes = [100, 1_000, 10_000, 100_000];

/** Every size runs in its own process. */
export const growth: Bench = {
  name: "growth",
  about:
    "time per operation as the number of rows grows: processor time in memory, whole requests to mgmt dev, and due jobs",
  run: async (rounds = 21) => [
    ...(await memoryGrowth(rounds)),
    ...(await platformGrowth(rounds)),
    ...(await jobGrowth(rounds)),
  ],
};

const memoryGrowth = async (rounds: number): Promise<Finding[]> => {
  const servers: Program<GrowthServer>[] = [];
  try {
    for (const size of sizes) {
      const server = await startProgram<GrowthServer>("growth", ["--expose-gc", "--max-old-space-size=6144"]);
      servers.push(server);
      assert.equal(await server.calls.fill(size), size);
    }
    const findings: Finding[] = [];
    for (const operation of growthOperations) findings.push(await measure(operation, servers, rounds));
    for (const [index, { calls }] of servers.entries()) assert.equal(await calls.rows(), sizes[index]);
    const last = findings.pop();
    assert.ok(last);
    return [...findings, { ...last, notes: ["", ...table([...findings, last])] }];
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
};

const measure = async (
  operation: GrowthOperation,
  servers: readonly Program<GrowthServer>[],
  rounds: number,
): Promise<Finding> => {
  const series = await measureAlternately(
    servers.map(({ calls }, index) => ({
      name: `${(sizes[index] ?? 0).toLocaleString("en")} rows`,
      unit: "µs" as const,
      measure: async () => (await calls.time(operation)).processorMicroseconds,
    })),
    { warmUp: 8, rounds },
  );
  const [baseline, ...others] = series;
  const subject = others.pop();
  assert.ok(baseline && subject);
  return {
    title: operation,
    subject,
    baseline,
    others,
    goal: goals.growth,
  };
};

const table = (findings: readonly Finding[]): string[] => {
  const rows = findings.map(({ title, subject, baseline, others = [] }) => {
    assert.ok(baseline);
    const cells = [baseline, ...others, subject].map((series: Series) => median(series.rounds).toFixed(1));
    return [title, ...cells, median(ratios(subject, baseline)).toFixed(2)];
  });
  const header = ["µs per operation at", ...sizes.map((size) => size.toLocaleString("en")), "ratio"];
  const width = Math.max(...findings.map(({ title }) => title.length));
  return [header, ...rows].map(([name = "", ...cells]) =>
    [name.padEnd(width), ...cells.map((cell) => cell.padStart(9))].join(""),
  );
};
