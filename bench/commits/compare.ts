import type { Build } from "../rows/build.js";
import type { Measurement, Row } from "../rows/measurement.js";
import { type Comparison, printComparison } from "./report.js";
import { isWorse, seemsWorse } from "./verdict.js";

/** How often more a row is measured that seems worse at first. */
const rerunFactor = 3;

export interface Builds {
  readonly base: Build;
  readonly head: Build;
}

/** What a measurement cost in each round: of each round, a value for each row. */
interface Rounds {
  readonly base: (readonly number[])[];
  readonly head: (readonly number[])[];
  readonly baseline: (readonly number[])[];
}

/**
 * Measures two builds alternately, and prints every row. A row is worse if it is worse again in a larger run. Returns the titles of
 * those rows.
 *
 * @param print Takes lines of text.
 */
export const compareBuilds = async (
  measurements: readonly Measurement[],
  builds: Builds,
  rounds: number,
  print: (text: string) => void,
): Promise<string[]> => {
  const worse: string[] = [];
  for (const measurement of measurements) {
    const first = await measureRounds(measurement, builds, rounds, print);
    if (!first) continue;
    const suspects = measurement.rows.filter((row) => seemsWorse(first(row)));
    for (const row of measurement.rows) print(printComparison(first(row)));
    if (suspects.length === 0) continue;
    print(`  measured again in ${String(rounds * rerunFactor)} rounds:`);
    const second = await measureRounds(measurement, builds, rounds * rerunFactor, print);
    for (const row of second ? suspects : []) {
      const comparison = second?.(row);
      if (!comparison) continue;
      print(printComparison(comparison));
      if (isWorse(comparison)) worse.push(row.title);
    }
  }
  return worse;
};

/** Returns undefined if the base cannot be measured, because it does not have what is measured. */
const measureRounds = async (
  { rows, measure, baseline }: Measurement,
  { base, head }: Builds,
  rounds: number,
  print: (text: string) => void,
): Promise<((row: Row) => Comparison) | undefined> => {
  const costs: Rounds = { base: [], head: [], baseline: [] };
  for (let round = 0; round < rounds; round += 1) {
    try {
      costs.base.push(await twice(() => measure(base)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const titles = rows.map(({ title }) => title).join(", ");
      print(`  not compared, because the base cannot be measured: ${titles}\n    ${firstLine(reason)}`);
      return undefined;
    }
    costs.head.push(await twice(() => measure(head)));
    if (baseline) costs.baseline.push(await twice(() => baseline.measure(head)));
  }
  return (row) => {
    const index = rows.indexOf(row);
    const valuesOf = (name: keyof Rounds): number[] =>
      costs[name].map((values) => values[index] ?? Number.NaN);
    return {
      row,
      base: valuesOf("base"),
      head: valuesOf("head"),
      ...(baseline && { baseline: { name: baseline.name, values: valuesOf("baseline") } }),
    };
  };
};

/** Measures again after a failure: on a busy machine, a process may start too slowly. */
const twice = <Result>(measure: () => Promise<Result>): Promise<Result> => measure().catch(() => measure());

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
