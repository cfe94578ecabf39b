import { spawnSync } from "node:child_process";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { layers } from "./lint/layers.js";
import { importsBetweenFolders, leadsUpward, twoWayPairs } from "./lint/folder-imports.js";
import { allPackageFolders } from "./packages.mjs";

/**
 * `npm run size` prints how much code there is, which folders of a package import each other or a higher one, and which sources have no
 * test of their name.
 */

/** A source with more lines than this has a test of its name. */
const maxUntestedLines = 60;

/** The code of a folder: its files that are not generated, with their numbers of lines. */
type LinesByFile = ReadonlyMap<string, number>;

/** Returns the code in folders of a repository. */
const readLines = (root: string, ...folders: readonly string[]): LinesByFile => {
  const code = folders.flatMap((folder) =>
    ["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "sh"].map((type) => `:(glob)${folder}/**/*.${type}`),
  );
  const words = ["grep", "--untracked", "--count", "-e", "", "--", ...code, ":(exclude,glob)**/generated/**"];
  const { status, stdout, stderr } = spawnSync("git", words, { cwd: root, encoding: "utf8" });
  if (status !== 0 && status !== 1) throw new Error(`git grep failed: ${stderr}`);
  const counts = stdout.split("\n").filter(Boolean);
  return new Map(
    counts.map((line) => [
      line.slice(0, line.lastIndexOf(":")),
      Number(line.slice(line.lastIndexOf(":") + 1)),
    ]),
  );
};

/** Returns the name of the source that a test is named for, or undefined for a file that is no test. */
const testedName = (file: string): string | undefined =>
  /([^/]+?)(?:\.(?:process|postgres))?\.test\.ts$/.exec(file)?.[1];

const isTest = (file: string): boolean => testedName(file) !== undefined;

const sum = (lines: LinesByFile, isCounted: (file: string) => boolean = () => true): number =>
  [...lines].reduce((total, [file, count]) => (isCounted(file) ? total + count : total), 0);

const isSource = (file: string): boolean => !isTest(file);

/**
 * Returns the size of a package.
 * @param root absolute path of the repository
 * @param order the folders of the package, the highest first
 */
export const sizeOf = (root: string, name: string, order: readonly string[] = []) => {
  const code = readLines(root, `packages/${name}/src`);
  const tests = readLines(root, `packages/${name}/test`);
  const sources = [...code].filter(([file]) => isSource(file));
  const tested = new Set([...code.keys(), ...tests.keys()].map(testedName));
  const longSources = sources.filter(([, lines]) => lines > maxUntestedLines).map(([file]) => file);
  const imports = importsBetweenFolders(join(root, "packages", name));
  const upward = imports.filter((each) => leadsUpward(each, order)).map(({ from, to }) => `${from} → ${to}`);
  return {
    files: sources.length,
    source: sum(code, isSource),
    tests: sum(code, isTest) + sum(tests),
    longSources: longSources.length,
    untested: longSources.filter((file) => !tested.has(basename(file, extname(file)))),
    upward: [...new Set(upward)].join(", "),
    "two-way": twoWayPairs(imports).join(", "),
  };
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const total = (...folders: string[]): number => sum(readLines(root, ...folders));
  const sizes = allPackageFolders.map((name) => ({ name, ...sizeOf(root, name, layers[name]) }));
  const inSources = readLines(root, "packages/*/src");
  console.log(sizes.flatMap(({ untested }) => untested).join("\n"));
  console.log(`These sources have more than ${String(maxUntestedLines)} lines, and no test of their name.`);
  console.table(
    Object.fromEntries(
      sizes.map(({ name, untested, ...size }) => [name, { ...size, untested: untested.length }]),
    ),
  );
  console.table({
    source: sum(inSources, isSource),
    tests: sum(inSources, isTest) + total("packages/*/test", "test"),
    scripts: total("scripts"),
    bench: total("bench"),
  });
}
