import { parseArgs } from "node:util";
import { benches } from "./benches/index.js";
import { compareCommits } from "./commits/index.js";
import { findCommit, listChanges } from "./commits/commit.js";
import { describeMachine } from "./runner/machine.js";
import { readMeasured, recordMeasured } from "./runner/measured.js";
import { root } from "./runner/paths.js";
import { prepare } from "./runner/prepare.js";
import { runBenches } from "./runner/run-benches.js";

const usage = `npm run bench [-- [name ...] [--rounds N] [--strict] [--record [--continue]]]
npm run bench -- --compare <commit> [name ...] [--rounds N]

  --rounds N          rounds of each measurement, instead of its default
  --strict            also exit with status 1 if a goal is missed
  --record            write the results of each bench to bench/measured.json when it ends, with the commit; needs
                      the files of a commit. \`npm run generate\` then writes docs/performance.md
  --continue          with --record: leave out the benches that have results of this commit already
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
        continue: { type: "boolean", default: false },
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
    if (values.continue && !values.record) throw new Error("--continue needs --record");
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

const { names, rounds, strict, record, continue: continues, compare, help } = readArguments();

/** What a recorded run measures: everything but the results and the pages that are generated from them. */
const recordedPaths = [".", ":(exclude)bench/measured.json", ":(exclude)docs"];

/** Returns the exit status. */
const measureAll = async (): Promise<number> => {
  const commit = findCommit(root, "HEAD") ?? "";
  const changed = record ? listChanges(root, recordedPaths) : [];
  if (changed.length > 0) {
    console.error(`--record needs the files of a commit, and these have changed: ${changed.join(", ")}`);
    return 2;
  }
  await prepare();
  const machine = describeMachine();
  console.log(`${machine}, Node.js ${process.versions.node}`);
  const { failed, missed } = await runBenches({
    benches: Object.fromEntries(
      Object.entries(benches).filter(([name]) => names.length === 0 || names.includes(name)),
    ),
    rounds,
    ...(record && {
      record: { records: { read: readMeasured, add: recordMeasured }, commit, machine, continues },
    }),
    print: (text) => console.log(text),
  });
  console.log(`benches failed: ${String(failed)}, goals missed: ${String(missed)}`);
  return failed > 0 || (strict && missed > 0) ? 1 : 0;
};

if (help) process.stdout.write(usage);
else if (compare === undefined) process.exitCode = await measureAll();
else {
  console.log(describeMachine());
  process.exitCode = await compareCommits(compare, names, rounds);
}
