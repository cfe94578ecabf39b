import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../../scripts/generate/contract/contract.js";
import { npm } from "../runtimes/npm.js";
import { pack } from "../runtimes/tarballs.js";
import { endAll, followPage, hasOwnPorts } from "./reader.js";
import { startRegistry } from "./registry.js";
import { type Run, allRuns, quickstartRuns } from "./runs.js";
import { Toolchains } from "./toolchain.js";

const usage = `npm run test:full -- strangers [--locked] [--page PART] [--node VERSION] [--manager NAME]

Follows every page that tells its reader to install or run something, with only the commands on the page, in a new folder for
each, on every version of Node.js, with the newest versions of everything else. The packages of this repository are packed, and come
from a registry on this machine.

  --locked        only the quickstarts, with this Node.js and its npm, and with nothing else than package-lock.json has
  --page PART     only the pages whose path contains this
  --node VERSION  only this version: 20, 22, 24, or 26
  --manager NAME  only this one: npm-10, npm-11, pnpm, yarn-classic, yarn-pnp, or bun

Exits with 1 if a page fails.
`;

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
const { values: options } = parseArgs({
  options: { locked: flag, page: { ...text, default: "" }, node: text, manager: text, help: flag },
});
const runs = (options.locked ? quickstartRuns() : allRuns()).filter(
  ({ page, node, manager }) =>
    page.includes(options.page) &&
    (options.node ?? String(node)) === String(node) &&
    (options.manager ?? manager) === manager,
);
if (options.help || runs.length === 0) {
  process.stderr.write(usage);
  process.exit(options.help ? 0 : 2);
}

/** Runs at a time, which keep two processors busy. */
const parallel = 3;

const folder = mkdtempSync(join(tmpdir(), "mgmt-strangers-"));
mkdirSync(join(folder, "packed"));
const tarballs = Object.values(pack(join(folder, "packed")));
const registry = await startRegistry(tarballs, options.locked ? root : undefined);
const configured = options.locked ? registry.url : npm(root, "config", "get", "registry").trim();
const toolchains = new Toolchains(join(folder, "toolchains"));

/** Follows pages. Returns the runs that fail. */
const followAll = async (all: readonly Run[], workers: number): Promise<Run[]> => {
  const failed: Run[] = [];
  // One worker follows those that would take each other's ports.
  const alone = all.filter(({ page }) => hasOwnPorts(page));
  const others = all.filter(({ page }) => !hasOwnPorts(page));
  const next = (isFirst: boolean): Run | undefined => (isFirst && alone.shift()) || others.shift();
  const work = async (isFirst: boolean): Promise<void> => {
    for (let run = next(isFirst); run; run = next(isFirst)) {
      const started = Date.now();
      const toolchain = await toolchains.get(run);
      const faults = await followPage(run.page, toolchain, { own: registry.url, others: configured }, folder);
      if (faults.length > 0) failed.push(run);
      const seconds = String(Math.round((Date.now() - started) / 1_000));
      const sign = faults.length === 0 ? "✓" : "✗";
      console.log(`${sign} ${run.page}, Node.js ${String(run.node)}, ${run.manager}: ${seconds} s`);
      for (const fault of faults) console.log(`    ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, index) => work(index === 0)));
  return failed;
};

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void endAll().finally(() => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(1);
    });
  });
}
try {
  const failed = await followAll(runs, parallel);
  // Once more, alone, because tests on a page have the deadlines of their test runner, which a busy machine may miss.
  const failedTwice = await followAll(failed, 1);
  console.log(`${String(runs.length - failedTwice.length)} of ${String(runs.length)} pass.`);
  if (failedTwice.length > 0) {
    process.exitCode = 1;
    if (options.locked)
      console.log(
        "Pages get only the versions that package-lock.json has. One that needs another goes into test/docs/examples/package.json.",
      );
  }
} finally {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
}
