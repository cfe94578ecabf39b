import type { Goal } from "./goals.js";

export type Unit = "s" | "ms" | "µs" | "B" | "instantiations";

/** The measurements of one contender: one value per round, in order. */
export interface Series {
  readonly name: string;
  readonly unit: Unit;
  readonly rounds: readonly number[];
}

/** One result. With a baseline, the two are measured alternately, round by round. */
export interface Finding {
  readonly title: string;
  readonly subject: Series;
  readonly baseline?: Series;
  /** Further measurements, for comparison. */
  readonly others?: readonly Series[];
  readonly goal?: Goal;
  /** What a reader needs to know to interpret the numbers. */
  readonly notes?: readonly string[];
}

export interface Bench {
  readonly name: string;
  readonly about: string;
  /** Runs the bench; `rounds` overrides its default. Throws an `AssertionError` if a timed response is wrong. */
  run(rounds: number | undefined): Promise<Finding[]>;
}
