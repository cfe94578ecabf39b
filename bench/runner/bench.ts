export type Unit = "req/s" | "s" | "ms" | "µs" | "B" | "instantiations";

/** What was measured of one contender: a value a round, in the order of the rounds. */
export interface Series {
  readonly name: string;
  readonly unit: Unit;
  readonly rounds: readonly number[];
}

/** What the project wants of a finding: of its median ratio, or of the subject's median. */
export interface Aim {
  readonly of: "ratio" | "median";
  readonly relation: "≥" | "≤" | "<";
  readonly limit: number;
}

/** One row of the answer. With a baseline, the two were measured in turns, round by round. */
export interface Finding {
  readonly title: string;
  readonly subject: Series;
  readonly baseline?: Series;
  /** What was measured beside the subject, for those who want to compare. */
  readonly others?: readonly Series[];
  readonly aim?: Aim;
  /** What a reader must know to trust the numbers. */
  readonly notes?: readonly string[];
}

export interface Bench {
  readonly name: string;
  readonly about: string;
  /** Throws an `AssertionError` when an answer that it times is wrong. `rounds` is undefined but for a short or a long run. */
  run(rounds: number | undefined): Promise<Finding[]>;
}
