import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * `npm run test:mutation [-- FOLDER…]`: changes the sources of each folder in many small ways, runs the tests that reach each
 * change, and writes the percentage of changes that a test noticed to `scores.json`. The first run installs Stryker, which
 * nothing else needs.
 */
const here = fileURLToPath(new URL("./", import.meta.url));
const root = join(here, "../..");

/** Folders with the tests that are closest to them. */
const folders = {
  "packages/sdk/src/request": ["packages/sdk/test/*.test.ts"],
  "packages/engine/src/request": ["packages/engine/test/{request,rules}/**/*.test.ts"],
  "packages/engine/src/rules": ["packages/engine/test/rules/**/*.test.ts"],
  "packages/platform/src/databases": [
    "packages/platform/test/{database-copies,postgres-databases,isolation,recovery,reconcile}.test.ts",
  ],
};

const named = process.argv.slice(2);
const unknown = named.find((name) => !(name in folders));
if (unknown !== undefined) {
  console.error(`There are no mutation tests for ${unknown}. Use one of: ${Object.keys(folders).join(", ")}`);
  process.exit(2);
}

if (!existsSync(join(here, "node_modules"))) {
  const { status } = spawnSync("npm", ["ci", "--silent"], { cwd: here, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** Returns the number of mutants by status. */
const countsIn = (report) => {
  const counts = {};
  for (const { mutants } of Object.values(report.files)) {
    for (const { status } of mutants) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
};

const scoresFile = join(here, "scores.json");
const scores = existsSync(scoresFile) ? JSON.parse(readFileSync(scoresFile, "utf8")) : {};
for (const folder of named.length > 0 ? named : Object.keys(folders)) {
  const report = join(here, "report.json");
  rmSync(report, { force: true });
  const { status } = spawnSync(
    process.execPath,
    [
      join(here, "node_modules/@stryker-mutator/core/bin/stryker.js"),
      "run",
      join(here, "stryker.config.mjs"),
    ],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, MUTATE: folder, MUTATION_TESTS: JSON.stringify(folders[folder]) },
    },
  );
  if (status !== 0) process.exit(status ?? 1);
  const {
    Killed = 0,
    Timeout = 0,
    Survived = 0,
    NoCoverage = 0,
  } = countsIn(JSON.parse(readFileSync(report, "utf8")));
  const detected = Killed + Timeout;
  const valid = detected + Survived + NoCoverage;
  scores[folder] = { score: Math.round((1000 * detected) / valid) / 10, detected, valid };
  writeFileSync(scoresFile, `${JSON.stringify(scores, null, 2)}\n`);
}
console.table(scores);
