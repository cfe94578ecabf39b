import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { layers } from "./lint/layers.js";
import { importsBetweenFolders, leadsUpward, twoWayPairs } from "./lint/folder-imports.js";
import { allPackageFolders } from "./packages.mjs";

/** `npm run size` prints how much code there is, and which folders of a package import each other or a higher one. */

/** Returns what `git grep` prints about the code in folders, without generated files. */
const grep = (root: string, words: readonly string[], folders: readonly string[]): string[] => {
  const code = folders.flatMap((folder) =>
    ["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "sh"].map((type) => `:(glob)${folder}/**/*.${type}`),
  );
  const all = ["grep", "--untracked", ...words, "--", ...code, ":(exclude,glob)**/generated/**"];
  const { status, stdout, stderr } = spawnSync("git", all, { cwd: root, encoding: "utf8" });
  if (status !== 0 && status !== 1) throw new Error(`git grep failed: ${stderr}`);
  return stdout.split("\n").filter(Boolean);
};

/** Returns the number of lines of each file. */
const linesOf = (root: string, ...folders: string[]): number[] =>
  grep(root, ["--count", "-h", "-e", ""], folders).map(Number);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/**
 * Returns the size of a package.
 * @param root absolute path of the repository
 * @param order the folders of the package, the highest first
 */
export const sizeOf = (root: string, name: string, order: readonly string[] = []) => {
  const source = linesOf(root, `packages/${name}/src`);
  const imports = importsBetweenFolders(join(root, "packages", name));
  const upward = imports.filter((each) => leadsUpward(each, order)).map(({ from, to }) => `${from} → ${to}`);
  return {
    files: source.length,
    source: sum(source),
    tests: sum(linesOf(root, `packages/${name}/test`)),
    upward: [...new Set(upward)].join(", "),
    "two-way": twoWayPairs(imports).join(", "),
  };
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const total = (...folders: string[]): number => sum(linesOf(root, ...folders));
  console.table(
    Object.fromEntries(allPackageFolders.map((name) => [name, sizeOf(root, name, layers[name])])),
  );
  console.table({
    source: total("packages/*/src"),
    tests: total("packages/*/test", "test"),
    scripts: total("scripts"),
    bench: total("bench"),
  });
}
