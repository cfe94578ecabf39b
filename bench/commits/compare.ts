import {
  type Build,
  type Contender,
  type Finding,
  type Measurement,
  measure,
} from "../runner/measurement.js";
import { describe } from "../runner/report.js";
import { isWorse, judge, seemsWorse } from "./verdict.js";

/** How often more a row is measured that seems worse at first. */
const rerunFactor = 3;

export interface Builds {
  readonly base: Build;
  readonly head: Build;
}

class CannotMeasureBaseError extends Error {}

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
    const compared = comparisonOf(measurement, builds);
    const run = async (times: number): Promise<Finding[]> => {
      const findings = await measure(compared, times);
      for (const finding of findings) print(describe(finding));
      return findings;
    };
    try {
      const first = await run(rounds);
      if (!first.some((finding) => judge(seemsWorse, finding))) continue;
      print(`  seems worse, and is measured again in ${String(rounds * rerunFactor)} rounds:`);
      const second = await run(rounds * rerunFactor);
      const both = second.filter((finding, row) => {
        const before = first[row];
        return before && judge(seemsWorse, before) && judge(isWorse, finding);
      });
      worse.push(...both.map(({ title }) => title));
    } catch (error) {
      // The base may not have what is measured.
      if (!(error instanceof CannotMeasureBaseError)) throw error;
      const titles = measurement.rows.map(({ title }) => title).join(", ");
      print(`  not compared, because the base cannot be measured: ${titles}\n    ${error.message}`);
    }
  }
  return worse;
};

/** The least that such work costs is measured beside the two builds. */
const comparisonOf = (
  { rows, rounds, subject, baseline }: Measurement,
  { base, head }: Builds,
): Measurement => {
  const at = (build: Build, name: string, { measure: run }: Contender): Contender => ({
    name,
    // Once more after a failure: on a busy machine, a process may start too slowly.
    measure: () => run(build).catch(() => run(build)),
  });
  const older = at(base, "base", subject);
  return {
    rows: rows.map(({ title, unit }) => ({ title, unit })),
    rounds,
    subject: at(head, "now", subject),
    baseline: {
      name: older.name,
      measure: (build) =>
        older.measure(build).catch((error: unknown) => {
          const [reason = ""] = String(error).split("\n", 1);
          throw new CannotMeasureBaseError(reason, { cause: error });
        }),
    },
    ...(baseline && { others: [at(head, baseline.name, baseline)] }),
  };
};
