import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildIfStale } from "../../scripts/build-if-stale.mjs";
import { Answers } from "./answers.js";
import { cases } from "./cases/all-cases.js";
import type { CrashCase } from "./cases/crash-case.js";
import { diagnose } from "./diagnosis.js";
import { FullDisk } from "./full-disk.js";
import { MgmtDev } from "./mgmt-dev.js";
import { CrashTest } from "./round.js";
import { Hang, Violation } from "./violation.js";

const usage = `npm run test:e2e -- crash [--kills N] [--seed S]
npm run test:e2e -- crash --case NAME|all [--suspend SECONDS] [--every N]

Kills parts of a mgmt dev that eight clients use, also while it recovers, and checks that every answer was kept, that every request
had a response, and that the API was not away for long. With --case, causes another fault instead.

  --kills N            number of kills. Default: 12. Every second kill waits for the next named step
  --seed S             repeats the choices of an earlier run
  --case NAME          ${cases.map(({ name }) => name).join(", ")}, or all
  --suspend SECONDS    how long "suspended" suspends a process. Default: 60
  --every N            "cuts" cuts the network at every Nth byte. Default: 1

Cases: a process is suspended, the clock jumps, the file system cannot be written (read-only; needs root), the data directory was
copied, or the network is cut at every byte of what the SDK and the CLI send and receive.

Prints the number of answers of each change by their meaning, and how long the API was away. More than 15 seconds is a violation, as is a
request without a response. These times pass more slowly on a machine that is busy with other work.

Exits with 1 after a violation, and keeps the data directory.
`;

interface Arguments {
  kills: number;
  seed: string;
  chosen: readonly CrashCase[];
  suspension: number;
  every: number;
}

const positive = (name: string, text: string): number => {
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0)) throw new Error(`--${name} needs a positive integer`);
  return value;
};

const readArguments = (): Arguments => {
  const option = { type: "string" } as const;
  const { values } = parseArgs({
    options: { kills: option, seed: option, case: option, suspend: option, every: option },
  });
  const chosen = cases.filter(({ name }) => values.case === "all" || values.case === name);
  if (values.case !== undefined && chosen.length === 0) throw new Error(`There is no case ${values.case}`);
  return {
    kills: positive("kills", values.kills ?? "12"),
    seed: values.seed ?? randomBytes(4).toString("hex"),
    chosen,
    suspension: positive("suspend", values.suspend ?? "60") * 1_000,
    every: positive("every", values.every ?? "1"),
  };
};

const { kills, seed, chosen, suspension, every } = ((): ReturnType<typeof readArguments> => {
  try {
    return readArguments();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return process.exit(2);
  }
})();

buildIfStale();
const directory = await mkdtemp(join(tmpdir(), "mgmt-crash-"));
await chmod(directory, 0o755);

const describe = (error: unknown): unknown =>
  error instanceof Violation ? `${error instanceof Hang ? "HANG" : "VIOLATION"} ${error.message}` : error;

const runCases = async (): Promise<void> => {
  for (const { name, run } of chosen) {
    const folder = join(directory, name);
    await mkdir(folder);
    await run({ directory: folder, suspension, every, log: (line) => console.log(`${name}: ${line}`) });
  }
};

const runKills = async (): Promise<void> => {
  console.log(`seed ${seed}, ${String(kills)} kills, in ${directory}`);
  const disk = await FullDisk.make(directory);
  const dev = new MgmtDev(directory, disk.directory);
  const answers = new Answers();
  const test = new CrashTest(dev, disk, seed, answers);
  let done = 0;
  try {
    await test.begin();
    for (; done < kills; done += 1) await test.round(done + 1);
    await test.end();
  } catch (error) {
    if (error instanceof Violation) console.error(await diagnose(dev));
    dev.killEverything();
    console.error(
      `After ${String(done)} good kills. Repeat it with: npm run test:e2e -- crash --seed ${seed} --kills ${String(done + 1)}`,
    );
    throw error;
  }
  console.log(`${String(kills)} kills without a violation. Answers:\n${answers.report()}`);
  console.log(test.coverage.report());
  console.log(test.away.report());
};

try {
  await (chosen.length > 0 ? runCases() : runKills());
  await rm(directory, { recursive: true, force: true });
} catch (error) {
  console.error(describe(error));
  console.error(`The data directory and mgmt-dev.log are in ${directory}.`);
  process.exitCode = 1;
}
process.exit();
