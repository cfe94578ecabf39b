import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../../scripts/generate/contract/contract.js";
import { usedSeconds } from "../../scripts/processor-time.js";
import { npm } from "../runtimes/npm.js";
import { pack } from "../runtimes/tarballs.js";
import { followTwice, hasFailed } from "./attempts.js";
import { inOrder, journeysOf } from "./journey.js";
import { lockOf, readLock, writeLock } from "./lock.js";
import { type Run, fullMatrix, isSameRun, narrow, slice, toolchainsOf } from "./matrix.js";
import { startRegistry } from "./registry.js";
import { followJourney, leaveAll } from "./stranger.js";
import { type Followed, tableOf } from "./table.js";
import { Toolchains } from "./toolchain.js";

const usage = `npm run test:strangers [-- --slice] [--page PART] [--node VERSION] [--manager NAME] [--record]

Follows every page that tells its reader to install or run something, with only the commands on the page, in a new folder for
each. The packages of this repository are packed, and come from a registry on this machine; it passes on all others.

  --slice         each page once, with this Node.js, and the versions of the last recorded run
  --page PART     only the pages whose path contains this; may be repeated
  --node VERSION  only this version: 20, 22, 24, 26, or current; may be repeated
  --manager NAME  only this one: npm-10, npm-11, pnpm, yarn-classic, yarn-pnp, or bun; may be repeated
  --record        if every page passes, lets --slice use the versions of today; with --slice, follows each page once with them

Exits with 1 if a page fails, and with --slice also if the pages take too much processor time.
`;

const { values: options } = parseArgs({
  options: {
    slice: { type: "boolean", default: false },
    page: { type: "string", multiple: true, default: [] },
    node: { type: "string", multiple: true, default: [] },
    manager: { type: "string", multiple: true, default: [] },
    record: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(usage);
  process.exit();
}
if (options.record && options.page.length > 0)
  throw new Error("--record needs the versions of all pages: leave out --page.");

/** Seconds of processor time that two processors have in five minutes. */
const sliceLimit = 600;

/** Runs at a time. They wait for each other's ports, so that three keep two processors busy. */
const parallel = 3;

const started = new Date();
const folder = mkdtempSync(join(tmpdir(), "mgmt-strangers-"));
const cache = join(root, "node_modules/.cache/strangers");
mkdirSync(join(folder, "packed"));
const registry = await startRegistry({
  upstream: npm(root, "config", "get", "registry").trim(),
  tarballs: pack(join(folder, "packed")),
  cache: join(cache, "tarballs"),
  lock: options.slice && !options.record ? readLock() : undefined,
});

const toolchains = new Toolchains(join(folder, "toolchains"), registry.url);

/** Returns the runs with what came of them, in the order of the runs. */
const followAll = async (runs: readonly Run[], parallel: number): Promise<Followed[]> => {
  const followed: Followed[] = [];
  const waiting = toolchainsOf(runs).flatMap(({ node, manager }) => {
    const isHere = (run: Run): boolean => run.node === node && run.manager === manager;
    const pages = runs.filter(isHere).map(({ page }) => page);
    return journeysOf(pages).map((journey) => ({ journey, node, manager }));
  });
  waiting.sort((one, other) => inOrder(one.journey, other.journey));
  const follow = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { journey, node, manager } = next;
      const toolchain = await toolchains.get(node, manager);
      const { nodeVersion, managerVersion } = toolchain;
      await followJourney(journey, toolchain, registry, folder, (page, outcome) => {
        followed.push({ page, node, manager, nodeVersion, managerVersion, attempts: 1, outcome });
        const sign = outcome.faults.length === 0 ? "✓" : "✗";
        const seconds = (outcome.milliseconds / 1_000).toFixed(0);
        process.stdout.write(`${sign} ${page}, Node.js ${nodeVersion}, ${manager}: ${seconds} s\n`);
        for (const fault of outcome.faults) process.stdout.write(`    ${fault}\n`);
      });
    }
  };
  await Promise.all(Array.from({ length: parallel }, follow));
  return runs.flatMap((run) => followed.filter((each) => isSameRun(run, each)));
};

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void leaveAll().finally(() => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(1);
    });
  });
}
try {
  const runs = narrow(options.slice ? slice() : fullMatrix(), options);
  if (runs.length === 0)
    throw new Error("No page, version of Node.js, and package manager match the options.");
  let used = 0;
  const followed = await followTwice(
    runs,
    async (all) => {
      const first = await followAll(all, parallel);
      used = usedSeconds();
      return first;
    },
    (failed) => {
      // Alone, because tests on a page have the deadlines of their test runner, which a busy machine may miss. A page that has changed may
      // need versions that the lock lacks.
      registry.unlock();
      return followAll(failed, 1);
    },
  );
  const failed = followed.filter(hasFailed);
  process.stdout.write(`\n${tableOf(followed)}\n`);
  process.stdout.write(`${String(followed.length - failed.length)} of ${String(followed.length)} pass.\n`);
  process.stdout.write(`They took ${used.toFixed(0)} seconds of processor time.\n`);
  if (options.slice && used > sliceLimit) {
    process.stdout.write(`A slice may take ${String(sliceLimit)}: give a page less to install or to run.\n`);
    process.exitCode = 1;
  }
  if (failed.length > 0) process.exitCode = 1;
  else if (options.record)
    writeLock(lockOf(started, [...registry.served, ...followed.flatMap(({ outcome }) => outcome.locked)]));
} finally {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
}
