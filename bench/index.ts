import { parseArgs } from "node:util";
import { benches } from "./benches/index.js";
import { compareCommits } from "./commits/index.js";
import { findCommit } from "./commits/commit.js";
import { describeMachine } from "./runner/machine.js";
import { type MeasuredBench, recordMeasured } from "./runner/measured.js";
import { type Finding, type Measurement, measure } from "./runner/measurement.js";
import { root } from "./runner/paths.js";
import { prepare } from "./runner/prepare.js";
import { describe, isMet } from "./runner/report.js";

const usage = `npm run bench [-- [name ...] [--rounds N] [--strict] [--record]]
npm run bench -- --compare <commit> [name ...] [--rounds N]

  --rounds N          rounds of each measurement, instead of its default
  --strict            also exit with status 1 if a goal is missed
  --record            write the results to bench/measured.json; \`npm run generate\` then writes docs/performance.md
  --compare <commit>  build that commit, measure it alternately with the working tree, and exit with status 1 if
                      the working tree costs over 8 % more; \`auto\` chooses the commit

Names: ${Object.keys(benches).join(", ")}
Exits with 1 if a response is wrong or a bench cannot run, and with 2 on wrong usage.
`;

const readArguments = () => {
  try {
    const { values, positionals: names } = parseArgs({
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
    const unknown = names.filter((name) => !Object.hasOwn(benches, name));
    if (unknown.length > 0) throw new Error(`Unknown bench ${unknown.join(", ")}`);
    return { ...values, names, rounds };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return process.exit(2);
  }
};

// Run the "exit" handlers, which stop what the benches have started.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));

const { names, rounds, strict, record, compare, help } = readArguments();

/** Measures a bench. Returns undefined if a response was wrong or it could not run. */
const run = async (name: string, measurements: readonly Measurement[]): Promise<Finding[] | undefined> => {
  console.log(`\n${name}`);
  try {
    const findings: Finding[] = [];
    for (const measurement of measurements) {
      const found = await measure(measurement, rounds);
      for (const finding of found) console.log(describe(finding));
      findings.push(...found);
    }
    return findings;
  } catch (error) {
    console.error(`  ${name} could not run:`, error);
    return undefined;
  }
};

/** Returns the exit status. */
const runBenches = async (): Promise<number> => {
  await prepare();
  const machine = describeMachine();
  console.log(`${machine}, Node.js ${process.versions.node}`);
  const measured: Record<string, MeasuredBench> = {};
  let failed = 0;
  let missed = 0;
  for (const [name, measurements] of Object.entries(benches)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const findings = await run(name, measurements);
    if (!findings) {
      failed += 1;
      continue;
    }
    missed += findings.filter((finding) => !isMet(finding)).length;
    const commit = findCommit(root, "HEAD") ?? "";
    measured[name] = { commit, machine, node: process.versions.node, findings };
  }
  if (record) recordMeasured(measured);
  console.log(`benches failed: ${String(failed)}, goals missed: ${String(missed)}`);
  return failed > 0 || (strict && missed > 0) ? 1 : 0;
};

if (help) process.stdout.write(usage);
else if (compare === undefined) process.exitCode = await runBenches();
else {
  console.log(describeMachine());
  process.exitCode = await compareCommits(compare, names, rounds);
}
