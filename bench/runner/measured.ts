import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "./bench.js";
import { benchFolder } from "./paths.js";

/** What the benches measured last, by their names. The page about performance is generated from it. */
export type Measured = Readonly<Record<string, MeasuredBench>>;

export interface MeasuredBench {
  readonly commit: string;
  /** Kind of machine, date, and load. */
  readonly machine: string;
  readonly node: string;
  readonly findings: readonly Finding[];
}

const file = join(benchFolder, "measured.json");

export const readMeasured = (): Measured => {
  // Written by `recordMeasured`.
  return JSON.parse(readFileSync(file, "utf8")) as Measured;
};

/** Replaces the results of some benches. */
export const recordMeasured = (benches: Measured): void => {
  const all = { ...readMeasured(), ...benches };
  const sorted = Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, rounded, 2)}\n`);
};

/** Five digits are more than a measurement is good for. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === "number" ? Number(value.toPrecision(5)) : value;
