import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../packages/", import.meta.url));

/**
 * @typedef {{ "."?: { types?: string, import?: { types: string } } }} Exports
 * @typedef {{ name: string, exports?: Exports, bin?: Record<string, string> }} Manifest
 */

/** Names of the folders in `packages/`, one per package. */
export const packageFolders = readdirSync(folder);

/**
 * Returns the file that the build of a package writes last: its declarations, or its command.
 * @param {string} name
 */
export const lastBuiltFile = (name) => {
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8"));
  const main = manifest.exports?.["."];
  const file = main?.types ?? main?.import?.types ?? Object.values(manifest.bin ?? {})[0];
  if (file === undefined) throw new Error(`packages/${name}/package.json names no built file`);
  return join("packages", name, file);
};
