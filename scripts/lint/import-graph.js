import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";

/**
 * @typedef {string | { readonly [condition: string]: Target }} Target
 * @typedef {{ readonly folder: string, readonly imports: Readonly<Record<string, Target>> }} Package
 */

/** @type {Map<string, Package>} */
const packageByFolder = new Map();

/**
 * Returns the package that a folder belongs to, with its conditional imports.
 * @param {string} folder
 * @returns {Package}
 */
const packageAt = (folder) => {
  const known = packageByFolder.get(folder);
  if (known) return known;
  const manifest = join(folder, "package.json");
  const isTop = dirname(folder) === folder;
  const found = existsSync(manifest)
    ? { folder, imports: JSON.parse(readFileSync(manifest, "utf8")).imports ?? {} }
    : isTop
      ? { folder, imports: {} }
      : packageAt(dirname(folder));
  packageByFolder.set(folder, found);
  return found;
};

/**
 * @param {Target | undefined} target
 * @returns {string[]}
 */
const filesOfTarget = (target) =>
  typeof target === "string" ? [target] : Object.values(target ?? {}).flatMap(filesOfTarget);

/**
 * Returns the source of each file that a conditional import may mean.
 * @param {string} file
 * @param {string} name
 */
const conditionalImports = (file, name) => {
  const { folder, imports } = packageAt(dirname(file));
  const built = filesOfTarget(imports[name]);
  return [
    ...new Set(
      built.map((path) => join(folder, path.replace(/^\.\/dist\//, "src/").replace(/\.cjs$/, ".js"))),
    ),
  ];
};

/**
 * @param {string} path
 * @returns {string}
 */
const sourceOf = (path) => {
  const source = path.replace(/\.js$/, ".ts");
  return existsSync(source) ? source : path;
};

/**
 * Returns the files of the same package that a text imports or exports again: type-only imports, `import()`, and every file that a
 * conditional import may mean included.
 * @param {string} file absolute path of the file with this text
 * @param {string} text
 * @returns {string[]} absolute paths
 */
export const importsIn = (file, text) =>
  ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName }) => {
    if (fileName.startsWith(".")) return [sourceOf(resolve(dirname(file), fileName))];
    return fileName.startsWith("#") ? conditionalImports(file, fileName).map(sourceOf) : [];
  });

/** @type {Map<string, readonly string[]>} */
const importsByFile = new Map();

/**
 * Returns what `importsIn` returns for the saved text of a file; nothing for a file that does not exist or has no imports, such as JSON.
 * @param {string} file absolute path
 * @returns {readonly string[]}
 */
export const importsOf = (file) => {
  const known = importsByFile.get(file);
  if (known) return known;
  const isCode = /\.[cm]?[jt]s$/.test(file) && existsSync(file);
  const imports = isCode ? importsIn(file, readFileSync(file, "utf8")) : [];
  importsByFile.set(file, imports);
  return imports;
};
