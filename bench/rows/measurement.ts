import type { Build } from "./build.js";

/** A cost in processor time, so that other work on the machine affects it as little as possible. */
export interface Row {
  readonly title: string;
  readonly unit: "µs" | "ms";
}

/**
 * A measurement of one or more rows with a fixed number of repetitions. Each time, it starts new processes, so that what a process
 * happened to compile or collect does not decide a whole run.
 */
export interface Measurement {
  readonly rows: readonly Row[];
  /** Returns a value for each row. Throws an `AssertionError` if a response is wrong. */
  measure(build: Build): Promise<readonly number[]>;
  /** The least that such work costs. */
  readonly baseline?: { readonly name: string; measure(build: Build): Promise<readonly number[]> };
}
