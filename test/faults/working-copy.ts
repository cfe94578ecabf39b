import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killJobs } from "../../scripts/gate/job.js";

export const root = fileURLToPath(new URL("../../", import.meta.url));

const git = (...words: string[]): string =>
  execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });

/**
 * Makes a worktree with the uncommitted changes and the installed packages, so that faults are planted nowhere else. It is removed when
 * this process ends. Returns its path.
 *
 * @param otherModules folders with packages that do not belong to the workspace
 */
export const createWorkingCopy = (...otherModules: string[]): string => {
  const copy = mkdtempSync(join(tmpdir(), "mgmt-faults-"));
  process.once("exit", () => {
    killJobs();
    git("worktree", "remove", "--force", copy);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  git("worktree", "add", "--quiet", "--detach", "--force", copy, "HEAD");
  for (const path of git("ls-files", "-z", "--modified", "--others", "--exclude-standard").split("\0")) {
    if (path === "") continue;
    rmSync(join(copy, path), { force: true });
    if (existsSync(join(root, path))) cpSync(join(root, path), join(copy, path));
  }
  for (const folder of [...listWorkspaceFolders(), ...otherModules]) {
    const modules = join(root, folder, "node_modules");
    if (!existsSync(modules)) continue;
    mkdirSync(join(copy, folder), { recursive: true });
    // Hard links, not a symbolic link to the folder: packages of the workspace have to resolve to those of the copy.
    execFileSync("cp", ["--archive", "--link", modules, join(copy, folder)]);
    for (const name of [".cache", ".vite", ".vite-temp"]) {
      rmSync(join(copy, folder, "node_modules", name), { recursive: true, force: true });
    }
  }
  return copy;
};

/** Returns the folders of the workspace that have packages of their own. */
const listWorkspaceFolders = (): string[] => {
  const lockfile: { readonly packages: object } = JSON.parse(
    readFileSync(join(root, "node_modules/.package-lock.json"), "utf8"),
  );
  return [...new Set(Object.keys(lockfile.packages).map((path) => path.split("node_modules/", 1)[0] ?? ""))];
};
