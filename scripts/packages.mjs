import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../packages/", import.meta.url));

/**
 * @typedef {{ "."?: { types?: string, import?: { types: string } } }} Exports
 * @typedef {{ name: string, private?: boolean, exports?: Exports, bin?: Record<string, string> }} Manifest
 */

/** Names of the folders in `packages/`, one per package. */
export const allPackageFolders = readdirSync(folder);

/**
 * Returns the manifest of a package.
 * @param {string} name
 * @returns {Manifest}
 */
const manifestOf = (name) => JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8"));

/** Names of the folders of the published packages. The others are parts of their builds. */
export const packageFolders = allPackageFolders.filter((name) => manifestOf(name).private !== true);

/**
 * Returns the file that the build of a package writes last: its declarations, or its command.
 * @param {string} name
 */
export const lastBuiltFile = (name) => {
  const { exports, bin } = manifestOf(name);
  const main = exports?.["."];
  const file = main?.types ?? main?.import?.types ?? Object.values(bin ?? {})[0];
  if (file === undefined) throw new Error(`packages/${name}/package.json names no built file`);
  return join("packages", name, file);
};
