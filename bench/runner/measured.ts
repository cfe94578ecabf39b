import { jsonFile } from "./json.js";
import type { Finding } from "./measurement.js";

/** What the benches measured last, by their names. The page about performance is generated from it. */
export type Measured = Readonly<Record<string, MeasuredBench>>;

export interface MeasuredBench {
  readonly commit: string;
  /** Kind of machine, date, and load. */
  readonly machine: string;
  readonly node: string;
  readonly findings: readonly Finding[];
}

const { read, write } = jsonFile<Measured>("measured.json");

export const readMeasured = read;

/** Replaces the results of some benches. */
export const recordMeasured = (benches: Measured): void => {
  const all = Object.entries({ ...readMeasured(), ...benches });
  write(Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1))));
};
