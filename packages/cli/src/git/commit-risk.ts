import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Context } from "../input/context.js";
import { runInRepository } from "./run-git.js";

/** Why a file can become part of a commit: git tracks it already, whatever .gitignore contains, or does not ignore it. */
export type CommitRisk = "tracked" | "not_ignored";

/**
 * Returns the reason why a file can become part of a commit. Returns undefined if it cannot, or if git cannot determine it, for example
 * because git is not installed.
 */
export const findCommitRisk = async (
  path: string,
  context: Pick<Context, "env" | "signal">,
): Promise<CommitRisk | undefined> => {
  const readStatus = (...args: string[]): Promise<unknown> =>
    readGitExitStatus([...args, "--", basename(path)], path, context);
  // A file that git tracks does not count as ignored.
  if ((await readStatus("check-ignore", "--quiet")) !== 1) return undefined;
  return (await readStatus("ls-files", "--error-unmatch")) === 0 ? "tracked" : "not_ignored";
};

/**
 * Returns whether git can list the files that it tracks in the folder of a file. It cannot in a repository that it refuses to read, such as
 * a repository of another user. Also true if git is not installed, and outside of repositories.
 */
export const isReadableByGit = async (
  path: string,
  context: Pick<Context, "env" | "signal">,
): Promise<boolean> => {
  if (!isInRepository(dirname(path))) return true;
  const status = await readGitExitStatus(["ls-files", "--", basename(path)], path, context);
  return status === 0 || typeof status !== "number";
};

const isInRepository = (folder: string): boolean =>
  existsSync(join(folder, ".git")) || (dirname(folder) !== folder && isInRepository(dirname(folder)));

/** Returns the exit status of git, or the code of the error that kept it from running. */
const readGitExitStatus = async (
  args: readonly string[],
  path: string,
  context: Pick<Context, "env" | "signal">,
): Promise<unknown> => {
  try {
    await runInRepository(args, { ...context, cwd: dirname(path) });
    return 0;
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : undefined;
  }
};
