import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { root } from "../../scripts/generate/contract/contract.js";
import { usedSeconds } from "../../scripts/processor-time.js";
import { npm } from "../runtimes/npm.js";
import { pack } from "../runtimes/tarballs.js";
import { followTwice, hasFailed } from "./attempts.js";
import { inOrder, journeysOf } from "./journey.js";
import { lockedPackages } from "./locked.js";
import { type Run, fullMatrix, isSameRun, narrow, quickstarts, toolchainsOf } from "./matrix.js";
import { newestPackages } from "./newest.js";
import { freePort } from "./ports.js";
import { startRegistry } from "./registry.js";
import { type Outcome, followJourney, leaveAll } from "./stranger.js";
import { type Followed, tableOf } from "./table.js";
import { Toolchains } from "./toolchain.js";

const usage = `npm run test:full -- strangers [--latest | --locked] [--page PART] [--node VERSION] [--manager NAME]

Follows every page that tells its reader to install or run something, with only the commands on the page, in a new folder for
each. The packages of this repository are packed, and come from a registry on this machine.

  --latest        every page on every version of Node.js, with the newest versions of everything else; the default
  --locked        only the quickstarts, with this Node.js and its npm, and with nothing else than package-lock.json has;
                  the service listens on a free port instead of 4300
  --page PART     only the pages whose path contains this; may be repeated
  --node VERSION  only this version: 20, 22, 24, or 26; may be repeated
  --manager NAME  only this one: npm-10, npm-11, pnpm, yarn-classic, yarn-pnp, or bun; may be repeated

Exits with 1 if a page fails.
`;

const { values: options } = parseArgs({
  options: {
    latest: { type: "boolean", default: false },
    locked: { type: "boolean", default: false },
    page: { type: "string", multiple: true, default: [] },
    node: { type: "string", multiple: true, default: [] },
    manager: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(usage);
  process.exit();
}
if (options.latest && options.locked)
  throw new Error("--latest and --locked use different versions: choose one.");

/** Runs at a time. They wait for each other's ports, so that three keep two processors busy. */
const parallel = 3;

const folder = mkdtempSync(join(tmpdir(), "mgmt-strangers-"));
mkdirSync(join(folder, "packed"));

const config = (name: string): string => npm(root, "config", "get", name).trim();
const registry = await startRegistry({
  tarballs: pack(join(folder, "packed")),
  others: options.locked
    ? lockedPackages({
        lockfile: join(root, "package-lock.json"),
        cache: config("cache"),
        // As `npm ci` does, with the registry, the proxy, and the certificates of npm's configuration.
        download: (spec) => promisify(execFile)("npm", ["cache", "add", spec], { cwd: root }),
      })
    : newestPackages(config("registry"), join(root, "node_modules/.cache/strangers/tarballs")),
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
      const report = (page: string, outcome: Outcome): void => {
        followed.push({ page, node, manager, nodeVersion, managerVersion, attempts: 1, outcome });
        const sign = outcome.faults.length === 0 ? "✓" : "✗";
        const seconds = (outcome.milliseconds / 1_000).toFixed(0);
        process.stdout.write(`${sign} ${page}, Node.js ${nodeVersion}, ${manager}: ${seconds} s\n`);
        for (const fault of outcome.faults) process.stdout.write(`    ${fault}\n`);
      };
      const port = options.locked ? await freePort() : undefined;
      await followJourney(journey, toolchain, registry, folder, report, port);
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
  const runs = narrow(options.locked ? quickstarts() : fullMatrix(), options);
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
    // Alone, because tests on a page have the deadlines of their test runner, which a busy machine may miss.
    (failed) => followAll(failed, 1),
  );
  const failed = followed.filter(hasFailed);
  process.stdout.write(`\n${tableOf(followed)}\n`);
  process.stdout.write(`${String(followed.length - failed.length)} of ${String(followed.length)} pass.\n`);
  process.stdout.write(`They took ${used.toFixed(0)} seconds of processor time.\n`);
  if (failed.length > 0) {
    process.exitCode = 1;
    if (options.locked)
      process.stdout.write(
        "Pages get only the versions that package-lock.json has. One that needs another goes into test/docs/examples/package.json.\n",
      );
  }
} finally {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
}
