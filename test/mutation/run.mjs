import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { addReport } from "./scores.mjs";

/**
 * `npm run test:mutation [-- FOLDER or FILE…]`: changes the sources of each folder in many small ways, runs the tests that reach
 * each change, and writes the percentage of changes that a test noticed to `scores.json`. A file that is named replaces only its
 * own counts. The first run installs Stryker, which nothing else needs.
 */
const here = fileURLToPath(new URL("./", import.meta.url));
const root = join(here, "../..");

/** Folders with the tests that are closest to them. */
const folders = {
  "packages/sdk/src/request": [
    "packages/sdk/test/{advice,deadline,debug,environment,errors,forms,inputs,middleware,no-answer,path-ids,redaction}.test.ts",
    "packages/sdk/test/{reference-server,refusals,request,request-pages,retries,secrets,tracing,type-checks}.test.ts",
  ],
  "packages/engine/src/request": ["packages/engine/test/{request,rules}/*.test.ts"],
  "packages/engine/src/rules": ["packages/engine/test/{request,rules}/*.test.ts"],
  "packages/platform/src/databases": [
    "packages/platform/test/{database-copies,postgres-databases,isolation,recovery,reconcile}.test.ts",
  ],
};

const folderOf = (path) =>
  Object.keys(folders).find((folder) => path === folder || path.startsWith(`${folder}/`));

const named = process.argv.slice(2);
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

/** Returns the files to mutate in each folder. */
const selection = () => {
  if (named.length === 0)
    return new Map(Object.keys(folders).map((folder) => [folder, [`${folder}/**/*.ts`]]));
  const selected = new Map();
  for (const path of named) {
    const pattern = path.endsWith(".ts") ? path : `${path}/**/*.ts`;
    selected.set(folderOf(path), [...(selected.get(folderOf(path)) ?? []), pattern]);
  }
  return selected;
};

let scores = {};
for (const [folder, files] of selection()) {
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
      env: {
        ...process.env,
        MUTATION_FILES: JSON.stringify(files),
        MUTATION_TESTS: JSON.stringify(folders[folder]),
      },
    },
  );
  if (status !== 0) process.exit(status ?? 1);
  scores = addReport(folder, JSON.parse(readFileSync(report, "utf8")));
}
console.table(scores, ["score", "detected", "valid", "measuredFiles", "allFiles"]);
