import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { allPackageFolders, lastBuiltFile, packageFolders } from "./packages.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What the build of every package depends on, besides its own sources. The lockfile stands for the versions of the tools. */
export const commonInputs = [
  "package-lock.json",
  "tsup.config.ts",
  "tsconfig.json",
  "tsconfig.build.json",
  "redocly.yaml",
  "openapi",
  "scripts",
];

/** @param {string} name Folder of a package. @returns {string[]} */
export const inputsOf = (name) => [
  `packages/${name}/package.json`,
  `packages/${name}/src`,
  // The command contains the schema of manifests.
  ...(name === "cli" ? ["packages/cli/mgmt.schema.json"] : []),
];

const inputs = [...commonInputs, ...allPackageFolders.flatMap(inputsOf)];

/** @param {string} path @returns {number} Zero for a test, which is part of no build. */
const changedAt = (path) => {
  if (path.endsWith(".test.ts")) return 0;
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((entry) => changedAt(join(path, entry))));
};

/**
 * Returns when one of several files, or a file in one of several folders, was changed last, in milliseconds since 1970.
 * @param {readonly string[]} paths From the root.
 */
export const lastChange = (paths) => Math.max(...paths.map((path) => changedAt(join(root, path))));

/** @param {string} path @returns {number} */
const builtAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

export const isBuildStale = () =>
  lastChange(inputs) > Math.min(...packageFolders.map((name) => builtAt(join(root, lastBuiltFile(name)))));

/**
 * Builds the packages if a source is newer than the build. Prints the output of the build only if it fails.
 * @returns {boolean} whether it built
 */
export const buildIfStale = () => {
  if (!isBuildStale()) return false;
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "build"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`The build failed:\n${stdout}${stderr}`);
  return true;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) buildIfStale();
