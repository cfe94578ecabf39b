import { CliError } from "../errors/cli-error.js";
import { gitRejectsError } from "../errors/preview-errors.js";
import { runInRepository, type GitEnvironment } from "./run-git.js";

/** The error messages of git for a folder that is in no clone, or in one that only an explicit GIT_DIR would make it use. */
const outsideClonePattern = /not a git repository \(or any|cannot use bare repository/;

/**
 * Returns the output of git, or undefined outside of a clone or if there is no answer, which git reports with a small exit status.
 *
 * @throws `preview:no_git`; `preview:git_refuses` if git does not read the clone, for example because another user owns it.
 */
const readFromClone = async (
  args: readonly string[],
  environment: GitEnvironment,
): Promise<string | undefined> => {
  try {
    return await runInRepository(args, environment);
  } catch (error) {
    environment.signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    const { code, stderr } = parseGitFailure(error);
    if (code === 1 || outsideClonePattern.test(stderr)) return undefined;
    throw gitRejectsError(stderr);
  }
};

/** Returns the exit status of git, and its output. */
const parseGitFailure = (error: unknown): { code: unknown; stderr: string } => ({
  code: error instanceof Error && "code" in error ? error.code : undefined,
  stderr: error instanceof Error && "stderr" in error ? String(error.stderr) : String(error),
});

/** Returns the first line that git prints, or undefined if there is none. For useful but optional information: git may fail. */
export const readFirstLine = async (
  args: readonly string[],
  environment: GitEnvironment,
): Promise<string | undefined> => {
  try {
    return (await runInRepository(args, environment)).split("\n")[0] || undefined;
  } catch {
    environment.signal.throwIfAborted();
    return undefined;
  }
};

/**
 * Returns the branch that a folder is on, null in a clone whose HEAD is detached, or undefined outside of a clone.
 *
 * @throws `preview:no_git`; `preview:git_refuses`.
 */
export const findCurrentBranch = async (environment: GitEnvironment): Promise<string | null | undefined> => {
  const branch = await readFromClone(["symbolic-ref", "--quiet", "--short", "HEAD"], environment);
  if (branch !== undefined) return branch.trim();
  return (await readFirstLine(["rev-parse", "--git-dir"], environment)) === undefined ? undefined : null;
};

/**
 * Returns the branches that the worktrees of a clone are on. Empty outside of a clone.
 *
 * @throws `preview:no_git`; `preview:git_refuses`.
 */
export const listCheckedOutBranches = async (environment: GitEnvironment): Promise<ReadonlySet<string>> => {
  const output = (await readFromClone(["worktree", "list", "--porcelain"], environment)) ?? "";
  return new Set([...output.matchAll(/^branch refs\/heads\/(.+)$/gm)].map(([, name = ""]) => name));
};

/** A remote of a clone. */
export interface GitRemote {
  readonly name: string;
  readonly url: string;
}

/**
 * Returns the remotes of a clone with the URLs that git uses. Empty outside of a clone.
 *
 * @throws `preview:no_git`; `preview:git_refuses`.
 */
export const listRemotes = async (environment: GitEnvironment): Promise<readonly GitRemote[]> => {
  const names = ((await readFromClone(["remote"], environment)) ?? "").split("\n").filter(Boolean);
  const urls = await Promise.all(
    names.map((name) => readFirstLine(["remote", "get-url", "--", name], environment)),
  );
  return names.flatMap((name, index) => {
    const url = urls[index];
    return url === undefined ? [] : [{ name, url }];
  });
};

/** Returns the folder that relative URLs of remotes are relative to. */
export const resolveRootFolder = async (environment: GitEnvironment): Promise<string> =>
  (await readFirstLine(["rev-parse", "--show-toplevel"], environment)) ?? environment.cwd;

/** Returns the commit of a branch in the clone, or among the branches fetched from a remote. */
export const findCommitOfBranch = async (
  branch: string,
  remote: string | undefined,
  environment: GitEnvironment,
): Promise<string | undefined> => {
  const refNames = [
    `refs/heads/${branch}`,
    ...(remote === undefined ? [] : [`refs/remotes/${remote}/${branch}`]),
  ];
  for (const name of refNames) {
    const commit = await findCommitOfRef(name, environment);
    if (commit !== undefined) return commit;
  }
  return undefined;
};

/** Returns the commit of a whole ref. Does not look at the commit itself: git may have to fetch it. */
const findCommitOfRef = (ref: string, environment: GitEnvironment): Promise<string | undefined> =>
  readFirstLine(["rev-parse", "--verify", "--quiet", ref], environment);

/** Returns whether a clone has fetched a branch of one of its remotes. */
export const hasFetchedBranch = async (
  branch: string,
  remote: string,
  environment: GitEnvironment,
): Promise<boolean> => (await findCommitOfRef(`refs/remotes/${remote}/${branch}`, environment)) !== undefined;
