import { AssertionError } from "node:assert";
import { parseArgs } from "node:util";
import type { Bench, Finding } from "./runner/bench.js";
import { prepare } from "./runner/prepare.js";
import { describe, isMet } from "./runner/report.js";
import { describeMachine, describeVersions, watchStolenTime } from "./runner/versions.js";

const usage = `npm run bench [-- [name ...] [--rounds N] [--strict]]

  --rounds N   rounds of each measurement, instead of its default
  --strict     also exit with status 1 if a goal is missed

Exits with 1 if a timed response is wrong or a bench cannot run, and with 2 on wrong usage.
`;

const readArguments = () => {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { strict: { type: "boolean" }, rounds: { type: "string" }, help: { type: "boolean" } },
    });
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
    if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
      throw new Error("--rounds needs a positive integer");
    }
    return { names: positionals, rounds, strict: values.strict === true, help: values.help === true };
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

// Run the "exit" handlers, which stop what the benches have started.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));

const { names, rounds, strict, help } = readArguments();
if (help) {
  process.stdout.write(usage);
} else {
  await prepare();
  // Import late, because `prepare` may have installed what the benches import.
  const { benches } = await import("./benches/all.js");
  const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    fail(
      2,
      `Unknown bench ${unknown.join(", ")}. Benches: ${benches.map(({ name }) => name).join(", ")}\n\n${usage}`,
    );
  }

  console.log([describeMachine(), describeVersions()].join("\n"));
  const stolenTime = watchStolenTime();
  const chosen = benches.filter(({ name }) => names.length === 0 || names.includes(name));
  let failed = 0;
  let missed = 0;
  for (const bench of chosen) {
    const findings = await measure(bench, rounds);
    if (!findings) failed += 1;
    missed += findings?.filter((finding) => !isMet(finding)).length ?? 0;
  }
  const stolen = stolenTime();
  if (stolen !== undefined) console.log(`\n${stolen}`);
  console.log(`benches failed: ${String(failed)}, goals missed: ${String(missed)}`);
  process.exitCode = failed > 0 || (strict && missed > 0) ? 1 : 0;
}
