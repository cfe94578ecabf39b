import { AssertionError } from "node:assert";
import { parseArgs } from "node:util";
import { ComparisonUsageError, compareCommits } from "./commits/index.js";
import type { Bench, Finding } from "./runner/bench.js";
import { type MeasuredBench, readMeasured, recordMeasured } from "./runner/measured.js";
import { prepare, prepareWithoutOthers } from "./runner/prepare.js";
import { describe, isMet } from "./runner/report.js";
import { describeMachine, describeVersions, headCommit, watchStolenTime } from "./runner/versions.js";

const usage = `npm run bench [-- [name ...] [--rounds N] [--strict] [--record]]
npm run bench -- --compare <commit> [name ...] [--rounds N]

  --rounds N          rounds of each measurement, instead of its default
  --strict            also exit with status 1 if a goal is missed
  --record            write the results to bench/measured.json; \`npm run generate\` then writes docs/performance.md
  --compare <commit>  build that commit, measure it alternately with the working tree, and exit with status 1 if
                      the working tree costs over 8 % more; \`auto\` chooses the commit

Exits with 1 if a timed response is wrong or a bench cannot run, and with 2 on wrong usage.
`;

const readArguments = () => {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        strict: { type: "boolean", default: false },
        record: { type: "boolean", default: false },
        rounds: { type: "string" },
        compare: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
    if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
      throw new Error("--rounds needs a positive integer");
    }
    if (values.compare !== undefined && (values.strict || values.record)) {
      throw new Error("--compare cannot be combined with --strict or --record");
    }
    return { ...values, names: positionals, rounds };
  } catch (error) {
    return fail(2, `${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
};

const fail = (status: number, message: string): never => {
  process.stderr.write(`${message}\n`);
  process.exit(status);
};

/** Returns the findings, or undefined if a response was wrong or the bench could not run. */
const measure = async (bench: Bench, rounds: number | undefined): Promise<Finding[] | undefined> => {
  console.log(`\n${bench.name}: ${bench.about}`);
  try {
    const findings = await bench.run(rounds);
    for (const finding of findings) console.log(describe(finding));
    return findings;
  } catch (error) {
    const what = error instanceof AssertionError ? "a timed response is wrong" : "could not run";
    console.error(
      `  ${bench.name}: ${what}: ${error instanceof Error ? (error.stack ?? "") : String(error)}`,
    );
    return undefined;
  }
};

/** Returns the exit status. */
const runBenches = async (names: readonly string[]): Promise<number> => {
  await prepare();
  // Import late, because `prepare` may have installed what the benches import.
  const { benches } = await import("./benches/all.js");
  const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    const known = benches.map(({ name }) => name).join(", ");
    fail(2, `Unknown bench ${unknown.join(", ")}. Benches: ${known}\n\n${usage}`);
  }
  const machine = describeMachine();
  console.log([machine, describeVersions()].join("\n"));
  const stolenTime = watchStolenTime();
  const measured: Record<string, MeasuredBench> = {};
  let failed = 0;
  let missed = 0;
  for (const bench of benches.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const findings = await measure(bench, rounds);
    if (!findings) {
      failed += 1;
      continue;
    }
    missed += findings.filter((finding) => !isMet(finding)).length;
    measured[bench.name] = { commit: headCommit(), machine, node: process.versions.node, findings };
  }
  if (record) recordMeasured(measured);
  const stolen = stolenTime();
  if (stolen !== undefined) console.log(`\n${stolen}`);
  console.log(`benches failed: ${String(failed)}, goals missed: ${String(missed)}`);
  return failed > 0 || (strict && missed > 0) ? 1 : 0;
};

/** Returns the exit status. */
const runComparison = async (base: string): Promise<number> => {
  await prepareWithoutOthers();
  console.log(describeMachine());
  const recorded = readMeasured()["http"]?.commit;
  try {
    return (await compareCommits({ base, names, rounds, recorded })) > 0 ? 1 : 0;
  } catch (error) {
    if (error instanceof ComparisonUsageError) fail(2, error.message);
    throw error;
  }
};

// Run the "exit" handlers, which stop what the benches have started.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));

const { names, rounds, strict, record, compare, help } = readArguments();
if (help) process.stdout.write(usage);
else process.exitCode = await (compare === undefined ? runBenches(names) : runComparison(compare));
