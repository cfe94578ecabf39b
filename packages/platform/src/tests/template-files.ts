import { readFile, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { platformErrors } from "../errors/platform-error.js";

/** Directories that a pattern does not enter, unless it names them. */
const skippedFolders = new Set(["node_modules", ".git"]);

const hasWildcard = (segment: string): boolean => /[*?]/.test(segment);

/** Returns the regular expression for one segment of a pattern. */
const toRegExp = (segment: string): RegExp =>
  new RegExp(
    `^${segment
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "s",
  );

/**
 * Returns the files that a path or a pattern names, in a stable order. A directory names all files in it.
 *
 * @param pattern with `/` between its segments: `*` and `?` match within one, and `**` matches any number of them.
 * @throws PlatformError `platform:test_files_missing` when there are none.
 */
export const listFiles = async (pattern: string, directory: string): Promise<string[]> => {
  const paths = new Set<string>();
  const root = pattern.startsWith("/") ? "/" : directory;
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  await addMatches(resolve(root), segments, paths);
  if (paths.size === 0) throw platformErrors.testFilesMissing(pattern, directory);
  return [...paths].sort();
};

const addMatches = async (path: string, segments: readonly string[], paths: Set<string>): Promise<void> => {
  const [segment, ...rest] = segments;
  if (segment === undefined) return addAll(path, paths);
  if (!hasWildcard(segment)) return addMatches(join(path, segment), rest, paths);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  if (segment === "**") {
    if (rest.length > 0) await addMatches(path, rest, paths);
    for (const entry of entries) {
      if (skippedFolders.has(entry.name)) continue;
      if (entry.isDirectory()) await addMatches(join(path, entry.name), segments, paths);
      else if (rest.length === 0) await addAll(join(path, entry.name), paths);
    }
    return;
  }
  const matcher = toRegExp(segment);
  for (const entry of entries) {
    if (matcher.test(entry.name)) await addMatches(join(path, entry.name), rest, paths);
  }
};

/** Adds a file, or all files in a directory. */
const addAll = async (path: string, paths: Set<string>): Promise<void> => {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile()) paths.add(path);
  if (!stats?.isDirectory()) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (!skippedFolders.has(entry.name) && !entry.isSymbolicLink())
      await addAll(join(path, entry.name), paths);
  }
};

/** The lock files of package managers, which specify which versions of programs a setup runs. */
const lockFileNames = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
];

/** Returns the contents of the lock files in the closest directory that has any; an empty list if none has. */
export const readLockFiles = async (directory: string): Promise<Buffer[]> => {
  const contents = await Promise.all(
    lockFileNames.map((name) => readFile(join(directory, name)).catch(() => undefined)),
  );
  const existing = contents.filter((content) => content !== undefined);
  const parent = dirname(directory);
  return existing.length > 0 || parent === directory ? existing : readLockFiles(parent);
};

/** Returns the path of a file relative to a directory, with `/` between its segments. */
export const toPortablePath = (path: string, directory: string): string =>
  (path.startsWith(directory + sep) ? path.slice(directory.length + 1) : path).replaceAll(sep, "/");
