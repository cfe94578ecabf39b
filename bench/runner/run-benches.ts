import type { Measured } from "./measured.js";
import { type Finding, type Measurement, measure } from "./measurement.js";
import { describe, isMet } from "./report.js";

/** The results that are recorded. */
export interface Records {
  read(): Measured;
  /** Replaces the results of some benches. */
  add(benches: Measured): void;
}

export interface BenchRun {
  readonly benches: Readonly<Record<string, readonly Measurement[]>>;
  /** Rounds of each measurement, instead of its default. */
  readonly rounds?: number | undefined;
  /** Absent if nothing is recorded. */
  readonly record?: {
    readonly records: Records;
    /** The hash of the commit that is measured. */
    readonly commit: string;
    /** Kind of machine, date, and load before the run. */
    readonly machine: string;
    /** Whether to leave out the benches that have results of this commit already. */
    readonly continues: boolean;
  };
  print(text: string): void;
}

/** What a run came to. */
export interface BenchCounts {
  /** Benches that could not run, or had a wrong response. */
  readonly failed: number;
  /** Rows that missed their goals. */
  readonly missed: number;
}

/** Measures benches one after the other. Records each when it ends, so that an interrupted run keeps what it has measured. */
export const runBenches = async ({ benches, rounds, record, print }: BenchRun): Promise<BenchCounts> => {
  let failed = 0;
  let missed = 0;
  for (const [name, measurements] of Object.entries(benches)) {
    print(`\n${name}`);
    if (record?.continues && record.records.read()[name]?.commit === record.commit) {
      print("  recorded at this commit already");
      continue;
    }
    const findings = await runBench(name, measurements, { rounds, print });
    if (!findings) {
      failed += 1;
      continue;
    }
    missed += findings.filter((finding) => !isMet(finding)).length;
    if (!record) continue;
    const { records, commit, machine } = record;
    records.add({ [name]: { commit, machine, node: process.versions.node, findings } });
  }
  if (record) print(`\n${describeRecords(record.records.read(), record.commit)}`);
  return { failed, missed };
};

/** Returns undefined if a response was wrong or the bench could not run. */
const runBench = async (
  name: string,
  measurements: readonly Measurement[],
  { rounds, print }: Pick<BenchRun, "rounds" | "print">,
): Promise<Finding[] | undefined> => {
  try {
    const findings: Finding[] = [];
    for (const measurement of measurements) {
      const measured = await measure(measurement, rounds);
      for (const finding of measured) print(describe(finding));
      findings.push(...measured);
    }
    return findings;
  } catch (error) {
    console.error(`  ${name} could not run:`, error);
    return undefined;
  }
};

/** Names the benches of each commit, that of this run first. */
const describeRecords = (measured: Measured, commit: string): string => {
  const namesByCommit = new Map<string, string[]>([[commit, []]]);
  for (const [name, bench] of Object.entries(measured)) {
    namesByCommit.set(bench.commit, [...(namesByCommit.get(bench.commit) ?? []), name]);
  }
  const lines = [...namesByCommit].map(([at, names]) => {
    const which = at === commit ? "this commit" : "another commit";
    return `  ${at.slice(0, 8)} (${which}): ${names.join(", ") || "none"}`;
  });
  return ["recorded results:", ...lines].join("\n");
};
