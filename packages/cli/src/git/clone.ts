import { CliError } from "../errors/cli-error.js";
import { gitRefuses } from "../errors/preview-errors.js";
import { readRepository, type Place } from "./run-git.js";

/** The error messages of git for a folder that is in no clone, or in one that only an explicit GIT_DIR would make it use. */
const outside = /not a git repository \(or any|cannot use bare repository/;

/**
 * Returns the output of git, or undefined outside of a clone or if there is no answer, which git says with a small exit status.
 *
 * @throws `preview:no_git`; `preview:git_refuses` if git does not read the clone, for example because another user owns it.
 */
const readClone = async (args: readonly string[], place: Place): Promise<string | undefined> => {
  try {
    return await readRepository(args, place);
  } catch (error) {
    place.signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    const { code, stderr } = failureOf(error);
    if (code === 1 || outside.test(stderr)) return undefined;
    throw gitRefuses(stderr);
  }
};

/** Returns the exit status of git, and its output. */
const failureOf = (error: unknown): { code: unknown; stderr: string } => ({
  code: error instanceof Error && "code" in error ? error.code : undefined,
  stderr: error instanceof Error && "stderr" in error ? String(error.stderr) : String(error),
});

/** Returns the first line that git prints, or undefined if there is none. For useful but optional information: git may fail. */
export const firstLine = async (args: readonly string[], place: Place): Promise<string | undefined> => {
  try {
    return (await readRepository(args, place)).split("\n")[0] || undefined;
  } catch {
    place.signal.throwIfAborted();
    return undefined;
  }
};

/**
 * Returns the branch that a folder is on, null in a clone whose HEAD is detached, or undefined outside of a clone.
 *
 * @throws `preview:no_git`; `preview:git_refuses`.
 */
export const currentBranch = async (place: Place): Promise<string | null | undefined> => {
  const branch = await readClone(["symbolic-ref", "--quiet", "--short", "HEAD"], place);
  if (branch !== undefined) return branch.trim();
  return (await firstLine(["rev-parse", "--git-dir"], place)) === undefined ? undefined : null;
};

/**
 * Returns the branches that the worktrees of a clone are on. Empty outside of a clone.
 *
 * @throws `preview:no_git`; `preview:git_refuses`.
 */
export const checkedOutBranches = async (place: Place): Promise<ReadonlySet<string>> => {
  const output = (await readClone(["worktree", "list", "--porcelain"], place)) ?? "";
  return new Set([...output.matchAll(/^branch refs\/heads\/(.+)$/gm)].map(([, name = ""]) => name));
};

/** A remote of a clone. */
export interface Remote {
  readonly name: string;
  readonly url: string;
}

/**
 * Returns the remotes of a clone with the addresses that git uses. Empty outside of a clone.
 *
 * @throws `preview:no_git`; `preview:git_refuses`.
 */
export const listRemotes = async (place: Place): Promise<readonly Remote[]> => {
  const names = ((await readClone(["remote"], place)) ?? "").split("\n").filter(Boolean);
  const urls = await Promise.all(names.map((name) => firstLine(["remote", "get-url", "--", name], place)));
  return names.flatMap((name, index) => {
    const url = urls[index];
    return url === undefined ? [] : [{ name, url }];
  });
};

/** Returns the folder that relative addresses of remotes are relative to. */
export const rootFolder = async (place: Place): Promise<string> =>
  (await firstLine(["rev-parse", "--show-toplevel"], place)) ?? place.cwd;

/** Returns the commit of a branch in the clone, or among the branches fetched from a remote. */
export const commitOf = async (
  branch: string,
  remote: string | undefined,
  place: Place,
): Promise<string | undefined> => {
  const names = [
    `refs/heads/${branch}`,
    ...(remote === undefined ? [] : [`refs/remotes/${remote}/${branch}`]),
  ];
  for (const name of names) {
    const commit = await commitAt(name, place);
    if (commit !== undefined) return commit;
  }
  return undefined;
};

/** Returns the commit of a whole ref. Does not look at the commit itself: git may have to fetch it. */
const commitAt = (ref: string, place: Place): Promise<string | undefined> =>
  firstLine(["rev-parse", "--verify", "--quiet", ref], place);

/** Whether a clone has fetched a branch of one of its remotes. */
export const hasFetched = async (branch: string, remote: string, place: Place): Promise<boolean> =>
  (await commitAt(`refs/remotes/${remote}/${branch}`, place)) !== undefined;
