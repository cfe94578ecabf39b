import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { commandLine, descendantsOf } from "../../packages/platform/test/processes.js";
import { WrappedPrograms } from "../../packages/platform/test/wrapped-programs.js";
import { buildIfStale } from "../../scripts/build-if-stale.mjs";
import { type CrashCase, cuts } from "./cases/cuts.js";
import { fullDisk } from "./cases/full-disk.js";
import { readOnly } from "./cases/read-only.js";
import { CrashTest } from "./crash-test.js";
import { MgmtDev } from "./mgmt-dev.js";
import { makeMovedClock } from "./moved-clock.js";
import { verifyFolders } from "./postgres-objects.js";
import { Violation } from "./violation.js";

const cases: Readonly<Record<string, CrashCase>> = {
  "read-only": readOnly,
  "full-disk": fullDisk,
  cuts,
};

const usage = `npm run test:e2e -- crash [--kills N] [--seed S]
npm run test:e2e -- crash --case read-only|full-disk|cuts|all

Causes faults in a mgmt dev that eight clients use, also while it recovers: kills and suspends its processes, fills the disk, and moves
the clock. Checks that every response was kept, that every request had a response, and that the API was not away for more than 15
seconds, which pass more slowly on a machine that is busy with other work. With --case, makes the file system read-only
or full (both need root), or cuts the network at every byte of what the SDK and the CLI send and receive.

  --kills N    number of faults. Default: 12. Every second one waits for the next named step
  --seed S     repeats the choices of an earlier run

Exits with 1 after a violation, and keeps the data directory.
`;

const { values: options } = parseArgs({
  options: {
    kills: { type: "string", default: "12" },
    seed: { type: "string", default: randomBytes(4).toString("hex") },
    case: { type: "string" },
    help: { type: "boolean" },
  },
});
const chosen = Object.entries(cases).filter(([name]) => options.case === "all" || options.case === name);
const kills = Number(options.kills);
if (options.help || !(kills > 0) || (options.case !== undefined && chosen.length === 0)) {
  process.stderr.write(usage);
  process.exit(options.help ? 0 : 2);
}

buildIfStale();
const directory = await mkdtemp(join(tmpdir(), "mgmt-crash-"));
await chmod(directory, 0o755);

const endOf = async (path: string): Promise<string> =>
  (await readFile(path, "utf8").catch(() => "")).trim().split("\n").slice(-50).join("\n");

const causeFaults = async (): Promise<void> => {
  const { seed } = options;
  console.log(`seed ${seed}, ${String(kills)} faults, in ${directory}`);
  const programs = await WrappedPrograms.make(directory);
  const clock = await makeMovedClock(directory);
  const dev = new MgmtDev(directory, { ...clock.environment, MGMT_POSTGRES: programs.directory });
  const test = new CrashTest({ dev, programs, clock: clock.file }, seed);
  let index = 0;
  try {
    await test.begin();
    while (index < kills) await test.round((index += 1));
    await dev.stop();
    // A start removes the files of copies that were interrupted.
    await dev.startAgain();
    await verifyFolders(dev);
    await dev.stop();
  } catch (error) {
    const processes = [dev.pid ?? 0, ...descendantsOf(dev.pid ?? 0)].map(
      (pid) => `${String(pid)} ${commandLine(pid)}`,
    );
    console.error(`Processes:\n${processes.join("\n")}`);
    for (const path of [dev.log, join(dev.dataDir, "postgres.log")])
      console.error(`${path}:\n${await endOf(path)}`);
    dev.killEverything();
    console.error(
      `Fault ${String(index)} fails. Repeat: npm run test:e2e -- crash --seed ${seed} --kills ${String(index)}`,
    );
    throw error;
  }
  console.log(`${String(kills)} faults without a violation`);
};

try {
  for (const [name, run] of chosen) {
    await mkdir(join(directory, name));
    await run(join(directory, name), (line) => console.log(`${name}: ${line}`));
  }
  if (chosen.length === 0) await causeFaults();
  await rm(directory, { recursive: true, force: true });
} catch (error) {
  console.error(error instanceof Violation ? `VIOLATION ${error.message}` : error);
  console.error(`The data directory and mgmt-dev.log are in ${directory}.`);
  process.exitCode = 1;
}
process.exit();
