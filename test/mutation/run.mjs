import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readScores, sourcesIn } from "./scores.mjs";

/**
 * `npm run test:mutation [-- FOLDER or FILE…]`: changes the sources of each folder in many small ways, runs the tests that reach
 * each change, prints the changes that no test noticed, and writes the percentage of the others to `scores.json`. A file or
 * subfolder that is named replaces only its own counts. `MUTATION_CONCURRENCY` is the number of changes that are tested at the
 * same time (default: 2). The first run installs Stryker, which nothing else needs.
 */
const here = fileURLToPath(new URL("./", import.meta.url));
const root = join(here, "../..");

/** Folders with the tests that are closest to them, without those that take seconds or need processes of their own. */
const folders = {
  "packages/sdk/src/request": [
    "packages/sdk/test/{advice,deadline,debug,environment,errors,forms,inputs,middleware,no-answer,on-abort}.test.ts",
    "packages/sdk/test/{path-ids,pause,redaction,reference-server,refusals,request,request-pages,retries}.test.ts",
    "packages/sdk/test/{retry-policy,secrets}.test.ts",
    "packages/sdk/test/{tracing,type-checks,auth/client,auth/refresh,wait/wait-for-approval}.test.ts",
  ],
  "packages/engine/src/request": [
    "packages/engine/test/request/!(malformed-requests|matrix|token-cache).test.ts",
    "packages/engine/test/oauth/{approval-page,codes,faults,metadata,refresh-tokens}.test.ts",
    "packages/engine/test/{rules/agent-approvals,rules/service-tokens,rules/transfer,store/partial-store}.test.ts",
    "packages/mock/test/{each-face,public-codes,setup-mock}.test.ts",
  ],
  "packages/engine/src/rules": ["packages/engine/test/rules/*.test.ts"],
  "packages/platform/src/databases": [
    "packages/platform/test/{database-copies,postgres-databases,isolation,recovery,reconcile}.test.ts",
  ],
};

const databases = "packages/platform/src/databases/";
const testOf = (name) => `packages/platform/test/${name}.test.ts`;

/** Files whose closest tests are other ones. All tests of the folder would take seconds for each change. */
const closestTests = {
  "packages/sdk/src/request/type-checks.ts": ["packages/sdk/test/{insecure-http,type-checks}.test.ts"],
  [`${databases}admin.ts`]: [
    testOf("admin"),
    testOf("admin-connections"),
    testOf("recovery"),
    testOf("without-superuser"),
  ],
  [`${databases}adopt-earlier.ts`]: [testOf("reconcile")],
  [`${databases}attempt.ts`]: [testOf("repairs"), testOf("reconcile")],
  [`${databases}blockers.ts`]: [testOf("blockers")],
  [`${databases}copies.ts`]: [
    testOf("copies"),
    testOf("database-copies"),
    testOf("database-settings"),
    testOf("isolation"),
    testOf("without-superuser"),
  ],
  [`${databases}catalog.ts`]: [
    testOf("interrupted-changes"),
    testOf("database-copies"),
    testOf("postgres-databases"),
    testOf("without-superuser"),
  ],
  [`${databases}fair-limit.ts`]: [testOf("fair-limit")],
  [`${databases}logins.ts`]: [
    testOf("logins"),
    testOf("reset-passwords"),
    testOf("front/connections"),
    testOf("front/flow"),
    testOf("database-settings"),
    testOf("postgres-databases"),
    testOf("reconcile"),
    testOf("without-superuser"),
  ],
  [`${databases}memory-watch.ts`]: [testOf("tenant-limits"), testOf("memory-watch")],
  [`${databases}names.ts`]: [testOf("names")],
  [`${databases}open-databases.ts`]: [testOf("open-databases"), testOf("recovery"), testOf("reconcile")],
  [`${databases}ownership.ts`]: [
    testOf("copies"),
    testOf("isolation"),
    testOf("reconcile"),
    testOf("without-superuser"),
  ],
  [`${databases}postgres-databases.ts`]: [
    testOf("database-turns"),
    testOf("interrupted-changes"),
    testOf("database-copies"),
    testOf("postgres-databases"),
    testOf("recovery"),
    testOf("isolation"),
  ],
  [`${databases}password-check.ts`]: [testOf("password-check"), testOf("database-settings")],
  [`${databases}pool.ts`]: [testOf("admin-connections"), testOf("tenant-limits")],
  [`${databases}presence.ts`]: [testOf("presence")],
  [`${databases}reconcile.ts`]: [testOf("spares"), testOf("reconcile")],
  [`${databases}recovery.ts`]: [testOf("repairs"), testOf("recovery")],
  [`${databases}role-sessions.ts`]: [
    testOf("role-sessions"),
    testOf("database-settings"),
    testOf("without-superuser"),
  ],
  [`${databases}settings.ts`]: [testOf("database-settings")],
  [`${databases}shared-cluster.ts`]: [testOf("without-superuser")],
  [`${databases}spares.ts`]: [testOf("spare-creation"), testOf("spares")],
  [`${databases}superuser-connected.ts`]: [testOf("without-superuser")],
  [`${databases}tenant-guard.ts`]: [
    testOf("tenant-limits"),
    testOf("tenant-guard"),
    testOf("shared-cluster"),
  ],
  [`${databases}waiting-work.ts`]: [testOf("waiting-work")],
};

const folderOf = (path) =>
  Object.keys(folders).find((folder) => path === folder || path.startsWith(`${folder}/`));

const named = process.argv.slice(2).map((path) => path.replace(/\/$/, ""));
const unknown = named.find((path) => folderOf(path) === undefined || !existsSync(join(root, path)));
if (unknown !== undefined) {
  console.error(
    `There are no mutation tests for ${unknown}. Use files in: ${Object.keys(folders).join(", ")}`,
  );
  process.exit(2);
}

if (!existsSync(join(here, "node_modules"))) {
  const { status } = spawnSync("npm", ["ci", "--silent"], { cwd: here, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const run = (folder, sources, tests) => {
  const stryker = join(here, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const { status } = spawnSync(process.execPath, [stryker, "run", join(here, "stryker.config.mjs")], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      MUTATION_FOLDER: folder,
      MUTATION_SOURCES: JSON.stringify(sources),
      MUTATION_TESTS: JSON.stringify(tests),
    },
  });
  if (status !== 0) process.exit(status ?? 1);
};

for (const [folder, tests] of Object.entries(folders)) {
  const paths = named.length > 0 ? named.filter((path) => folderOf(path) === folder) : [folder];
  const sources = paths.flatMap(sourcesIn);
  for (const path of sources) if (path in closestTests) run(folder, [path], closestTests[path]);
  const others = sources.filter((path) => !(path in closestTests));
  if (others.length > 0) run(folder, others, tests);
}
console.table(readScores(), ["score", "detected", "valid", "measuredFiles", "allFiles"]);
