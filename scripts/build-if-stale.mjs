import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { lastBuiltFile, packageFolders } from "./packages.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const sources = [
  "package-lock.json",
  "tsup.config.ts",
  "tsconfig.json",
  "tsconfig.build.json",
  "openapi",
  "scripts/build.ts",
  "scripts/build-cli.ts",
  "scripts/build-declarations.ts",
  "scripts/declaration-maps.ts",
  "scripts/build-commonjs.ts",
  "scripts/generate",
  "scripts/third-party-licenses.ts",
  ...packageFolders.flatMap((name) => [`packages/${name}/package.json`, `packages/${name}/src`]),
];

/** @param {string} path @returns {number} */
const newestChange = (path) => {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((entry) => newestChange(join(path, entry))));
};

/** @param {string} path @returns {number} */
const builtAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

export const isBuildStale = () =>
  Math.max(...sources.map((path) => newestChange(join(root, path)))) >
  Math.min(...packageFolders.map((name) => builtAt(join(root, lastBuiltFile(name)))));

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
