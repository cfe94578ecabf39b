import type { Goal } from "./goals.js";
import { mgmtProgram, programFolder } from "./paths.js";

export type Unit = "s" | "ms" | "µs" | "B" | "instantiations" | "1/s" | "connections" | "trips";

/** Built packages, with what measures them. All paths are absolute. */
export interface Build {
  /** Has the compiled files of `programs/` and `contenders/`, which import the packages from there. */
  readonly folder: string;
  /** The script of the `mgmt` command. */
  readonly mgmt: string;
}

export const workingTree: Build = { folder: programFolder, mgmt: mgmtProgram };

export interface Row {
  readonly title: string;
  readonly unit: Unit;
  readonly goal?: Goal;
}

export const row = (title: string, unit: Unit, goal?: Goal): Row => ({ title, unit, ...(goal && { goal }) });

export interface Contender {
  readonly name: string;
  /**
   * Returns a value for each row. Starts new processes each time, so that what a process happened to compile or collect does not decide
   * a whole run. Throws if a response is wrong.
   */
  measure(build: Build): Promise<readonly number[]>;
}

export interface Measurement {
  readonly rows: readonly Row[];
  /** The usual number of rounds. */
  readonly rounds: number;
  readonly subject: Contender;
  /** What the subject's costs are divided by, such as the least that such work costs. */
  readonly baseline?: Contender;
  readonly others?: readonly Contender[];
  /** Whether commits can be compared: it measures processor time, or whole processes, and nothing but `build`. */
  readonly comparesCommits?: true;
}

/** One value per round, in order. */
export interface Series {
  readonly name: string;
  readonly unit: Unit;
  readonly rounds: readonly number[];
}

/** What was measured of one row. */
export interface Finding {
  readonly title: string;
  readonly subject: Series;
  readonly baseline?: Series;
  readonly others?: readonly Series[];
  readonly goal?: Goal;
}

/** Measures the contenders alternately (A B A B), so that other load affects all of them. */
export const measure = async (
  { rows, subject, baseline, others = [], rounds: usual }: Measurement,
  rounds = usual,
): Promise<Finding[]> => {
  const contenders = [subject, ...(baseline ? [baseline] : []), ...others];
  const values = new Map(contenders.map((contender) => [contender, [] as (readonly number[])[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [contender, measured] of values) measured.push(await contender.measure(workingTree));
  }
  return rows.map(({ title, unit, goal }, row): Finding => {
    const seriesOf = (contender: Contender): Series => ({
      name: contender.name,
      unit,
      rounds: (values.get(contender) ?? []).map((each) => each[row] ?? Number.NaN),
    });
    return {
      title,
      subject: seriesOf(subject),
      ...(baseline && { baseline: seriesOf(baseline) }),
      ...(others.length > 0 && { others: others.map(seriesOf) }),
      ...(goal && { goal }),
    };
  });
};
