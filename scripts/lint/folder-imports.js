import { readdirSync } from "node:fs";
import { join } from "node:path";
import { importsOf } from "./import-graph.js";

/** The name that stands for the files of a package that are in no folder of `src`. */
const topFiles = "src";

/** Whether a file is a test, which may import what its source may not. @param {string} file */
const isTest = (file) => file.endsWith(".test.ts");

/**
 * @typedef {{ readonly owner: string, readonly folder: string }} Place
 */

/**
 * An import that leads from one folder of a package to another.
 * @typedef {{ readonly from: string, readonly to: string, readonly importer: string, readonly imported: string }} FolderImport
 */

/**
 * Returns where a source of a package is: the absolute path of the package, and the name of the folder in `src`. Returns undefined for
 * other files, and for the tests beside the sources.
 * @param {string} file absolute path
 * @returns {Place | undefined}
 */
export const placeOf = (file) => {
  if (isTest(file)) return undefined;
  const found = /^(.*[\\/]packages[\\/][^\\/]+)[\\/]src[\\/](?:([^\\/]+)[\\/])?/.exec(file);
  return found ? { owner: found[1] ?? "", folder: found[2] ?? topFiles } : undefined;
};

/**
 * Returns the imports of a file that lead to another folder of the same package.
 * @param {string} importer absolute path
 * @param {readonly string[]} imports absolute paths of what it imports
 * @returns {FolderImport[]}
 */
export const betweenFolders = (importer, imports) => {
  const from = placeOf(importer);
  if (!from) return [];
  return imports.flatMap((imported) => {
    const to = placeOf(imported);
    return to && to.owner === from.owner && to.folder !== from.folder
      ? [{ from: from.folder, to: to.folder, importer, imported }]
      : [];
  });
};

/**
 * Returns the TypeScript files of a package without its tests, as absolute paths.
 * @param {string} owner absolute path of the package
 */
export const sourcesOf = (owner) =>
  readdirSync(join(owner, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !isTest(path))
    .map((path) => join(owner, "src", path));

/** @type {Map<string, readonly FolderImport[]>} */
const importsByPackage = new Map();

/**
 * Returns the imports of the saved files of a package that lead from one folder to another.
 * @param {string} owner absolute path of the package
 * @returns {readonly FolderImport[]}
 */
export const importsBetweenFolders = (owner) => {
  const known = importsByPackage.get(owner);
  if (known) return known;
  const imports = sourcesOf(owner).flatMap((file) => betweenFolders(file, importsOf(file)));
  importsByPackage.set(owner, imports);
  return imports;
};

/**
 * Returns the folders that import each other, as `one ↔ other` in alphabetical order.
 * @param {readonly FolderImport[]} imports
 */
export const twoWayPairs = (imports) => {
  const arrows = new Set(imports.map(({ from, to }) => `${from} → ${to}`));
  const isTwoWay = ({ from, to }) => from < to && arrows.has(`${to} → ${from}`);
  return [...new Set(imports.filter(isTwoWay).map(({ from, to }) => `${from} ↔ ${to}`))].sort();
};

/**
 * Whether an import leads to a higher folder.
 * @param {FolderImport} found
 * @param {readonly string[]} order names of folders, the highest first; no import of another folder leads upward
 */
export const leadsUpward = ({ from, to }, order) =>
  order.includes(from) && order.includes(to) && order.indexOf(from) > order.indexOf(to);
