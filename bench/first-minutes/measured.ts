import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchFolder } from "../runner/paths.js";

/** What was measured last. `docs/why.md` is written from it. */
export interface Measured {
  /** Such as `November 2026`. */
  readonly month: string;
  readonly sdks: readonly Measurement[];
  readonly commands: readonly Measurement[];
  /** Seconds of processor time from `npm install` of the command line and the platform to a row that was read back. */
  readonly firstRow: number;
}

export interface Measurement {
  readonly name: string;
  /** Empty for packages of this repository. */
  readonly version: string;
  readonly packages: number;
  readonly megabytes: number;
  /** Seconds of processor time of `npm install` with an empty cache. */
  readonly install: number;
  /** Milliseconds of processor time of a process that imports the SDK, or prints the version of the command. Absent if it does not run. */
  readonly start?: number;
}

const file = join(benchFolder, "first-minutes/measured.json");

export const readMeasured = (): Measured => {
  // Written by `writeMeasured`.
  return JSON.parse(readFileSync(file, "utf8")) as Measured;
};

export const writeMeasured = (measured: Measured): void => {
  writeFileSync(file, `${JSON.stringify(measured, undefined, 2)}\n`);
};
