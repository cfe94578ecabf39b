import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What the packages are built from, and what the build writes last. */
const sources = [
  "package-lock.json",
  "tsup.config.ts",
  "tsconfig.json",
  ...["sdk", "engine", "mock", "platform", "cli"].flatMap((name) => [
    `packages/${name}/package.json`,
    `packages/${name}/src`,
  ]),
];
const products = [
  "packages/sdk/dist/index.d.ts",
  "packages/engine/dist/index.d.ts",
  "packages/mock/dist/index.d.ts",
  "packages/platform/dist/index.d.ts",
  "packages/cli/dist/mgmt.js",
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
  Math.min(...products.map((path) => builtAt(join(root, path))));

/**
 * Builds the packages when a source is newer than what was built from it. Prints the build's own words only when it fails.
 * @returns {boolean} whether something was built
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
