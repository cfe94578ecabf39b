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

/** The tests that are closest to the steps of a request, and to what they use. */
const requestTests = [
  "packages/engine/test/request/!(malformed-requests|matrix|token-cache).test.ts",
  "packages/engine/test/{server,values,world}/*.test.ts",
  "packages/engine/test/oauth/{approval-page,codes,faults,metadata,refresh-tokens}.test.ts",
  "packages/engine/test/{rules/agent-approvals,rules/service-tokens,rules/transfer,store/partial-store}.test.ts",
  "packages/mock/test/{each-face,public-codes,mocks/setup-mock}.test.ts",
];

/** Folders with the tests that are closest to them, without those that take seconds or need processes of their own. */
const folders = {
  "packages/sdk/src/request": [
    "packages/sdk/test/request/{environment,forms,inputs,no-answer,path-ids,refusals,request,request-pages}.test.ts",
    "packages/sdk/test/request/{retries,retry-policy,tracing}.test.ts",
    "packages/sdk/test/{errors/advice,errors/errors,deadlines/deadline,deadlines/on-abort,deadlines/pause}.test.ts",
    "packages/sdk/test/{redaction,reference-server,secrets,debug/debug,transport/middleware}.test.ts",
    "packages/sdk/test/{checks/type-checks,auth/client,auth/refresh,wait/wait-for-approval}.test.ts",
  ],
  "packages/engine/src/request": requestTests,
  "packages/engine/src/values": requestTests,
  "packages/engine/src/world": requestTests,
  "packages/engine/src/rules": ["packages/engine/test/rules/*.test.ts"],
  ...Object.fromEntries(
    [
      ...["connection", "databases", "guard", "logins", "policy", "repair"],
      ...["open-databases.ts", "postgres-databases.ts"],
    ].map((name) => [
      `packages/cluster/src/${name}`,
      [
        "packages/cluster/test/{database-copies,postgres-databases,isolation,repair/recovery,repair/reconcile}.test.ts",
      ],
    ]),
  ),
};

const cluster = "packages/cluster/src/";
const testOf = (name) => `packages/cluster/test/${name}.test.ts`;

/** Files whose closest tests are other ones. All tests of the folder would take seconds for each change. */
const closestTests = {
  "packages/sdk/src/checks/type-checks.ts": ["packages/sdk/test/checks/{insecure-http,type-checks}.test.ts"],
  [`${cluster}connection/admin.ts`]: [
    testOf("connection/admin"),
    testOf("connection/admin-connections"),
    testOf("repair/recovery"),
    testOf("policy/without-superuser"),
  ],
  [`${cluster}connection/attempt.ts`]: [testOf("repair/repairs"), testOf("repair/reconcile")],
  [`${cluster}connection/blockers.ts`]: [testOf("connection/blockers")],
  [`${cluster}databases/copies.ts`]: [
    testOf("databases/copies"),
    testOf("database-copies"),
    testOf("databases/database-settings"),
    testOf("isolation"),
    testOf("policy/without-superuser"),
  ],
  [`${cluster}databases/catalog.ts`]: [
    testOf("interrupted-changes"),
    testOf("database-copies"),
    testOf("postgres-databases"),
    testOf("policy/without-superuser"),
  ],
  [`${cluster}guard/fair-limit.ts`]: [testOf("guard/fair-limit")],
  [`${cluster}logins/logins.ts`]: [
    testOf("logins/logins"),
    testOf("logins/reset-passwords"),
    "packages/platform/test/front/connections.test.ts",
    "packages/platform/test/front/flow.test.ts",
    testOf("databases/database-settings"),
    testOf("postgres-databases"),
    testOf("repair/reconcile"),
    testOf("policy/without-superuser"),
  ],
  [`${cluster}guard/memory-watch.ts`]: [testOf("guard/tenant-limits"), testOf("guard/memory-watch")],
  [`${cluster}policy/names.ts`]: [testOf("policy/names")],
  [`${cluster}open-databases.ts`]: [
    testOf("open-databases"),
    testOf("repair/recovery"),
    testOf("repair/reconcile"),
  ],
  [`${cluster}policy/ownership.ts`]: [
    testOf("databases/copies"),
    testOf("isolation"),
    testOf("repair/reconcile"),
    testOf("policy/without-superuser"),
  ],
  [`${cluster}postgres-databases.ts`]: [
    testOf("database-turns"),
    testOf("interrupted-changes"),
    testOf("database-copies"),
    testOf("postgres-databases"),
    testOf("repair/recovery"),
    testOf("isolation"),
  ],
  [`${cluster}connection/password-check.ts`]: [
    testOf("connection/password-check"),
    testOf("databases/database-settings"),
  ],
  [`${cluster}connection/pool.ts`]: [testOf("connection/admin-connections"), testOf("guard/tenant-limits")],
  [`${cluster}repair/presence.ts`]: [testOf("repair/presence")],
  [`${cluster}repair/reconcile.ts`]: [testOf("databases/spares"), testOf("repair/reconcile")],
  [`${cluster}repair/recovery.ts`]: [testOf("repair/repairs"), testOf("repair/recovery")],
  [`${cluster}connection/role-sessions.ts`]: [
    testOf("connection/role-sessions"),
    testOf("databases/database-settings"),
    testOf("policy/without-superuser"),
  ],
  [`${cluster}databases/settings.ts`]: [testOf("databases/database-settings")],
  [`${cluster}connection/disk-full.ts`]: [testOf("connection/unavailable")],
  [`${cluster}connection/unavailable.ts`]: [testOf("connection/unavailable")],
  [`${cluster}connection/writer-turns.ts`]: [testOf("connection/writer-turns")],
  [`${cluster}logins/login-refused.ts`]: [testOf("logins/pending-logins")],
  [`${cluster}logins/pending-logins.ts`]: [testOf("logins/pending-logins")],
  [`${cluster}policy/address.ts`]: [testOf("policy/address"), testOf("connection/admin-connections")],
  [`${cluster}policy/own-cluster.ts`]: [testOf("guard/tenant-limits"), testOf("connection/role-sessions")],
  [`${cluster}policy/shared-cluster.ts`]: [
    testOf("policy/without-superuser"),
    testOf("policy/shared-cluster"),
  ],
  [`${cluster}databases/spares.ts`]: [testOf("databases/spare-creation"), testOf("databases/spares")],
  [`${cluster}connection/superuser-connected.ts`]: [testOf("policy/without-superuser")],
  [`${cluster}guard/tenant-guard.ts`]: [
    testOf("guard/tenant-limits"),
    testOf("guard/tenant-guard"),
    testOf("policy/shared-cluster"),
  ],
  [`${cluster}databases/waiting-work.ts`]: [testOf("databases/waiting-work")],
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
