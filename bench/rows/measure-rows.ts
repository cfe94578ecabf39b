import { ok } from "node:assert/strict";
import type { Finding, Series } from "../runner/bench.js";
import type { Goal } from "../runner/goals.js";
import { workingTree } from "./build.js";
import type { Measurement } from "./measurement.js";

/** Measures the rows in the working tree, alternately with their baseline. `goals` has one for each row. */
export const measureRows = async (
  { rows, measure, baseline }: Measurement,
  rounds: number,
  goals: readonly Goal[],
): Promise<Finding[]> => {
  const subjects: (readonly number[])[] = [];
  const baselines: (readonly number[])[] = [];
  for (let round = 0; round < rounds; round += 1) {
    subjects.push(await measure(workingTree));
    if (baseline) baselines.push(await baseline.measure(workingTree));
  }
  return rows.map(({ title, unit }, index): Finding => {
    const goal = goals[index];
    ok(goal);
    const series = (name: string, values: readonly (readonly number[])[]): Series => ({
      name,
      unit,
      rounds: values.map((each) => each[index] ?? Number.NaN),
    });
    return {
      title: `${title}, processor time`,
      subject: series("mgmt", subjects),
      ...(baseline && { baseline: series(baseline.name, baselines) }),
      goal,
    };
  });
};
