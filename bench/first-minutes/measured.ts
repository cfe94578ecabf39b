import { jsonFile } from "../runner/json.js";

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

export const { read: readMeasured, write: writeMeasured } = jsonFile<Measured>("first-minutes/measured.json");
