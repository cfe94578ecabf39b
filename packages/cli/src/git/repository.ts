import type { Context } from "../input/context.js";
import type { CliError } from "../errors/cli-error.js";
import { noBranch, noSuchRemote, severalRemotes } from "../errors/preview-errors.js";
import { currentBranch, listRemotes, type Remote, rootFolder } from "./clone.js";
import { gitProblem } from "./run-git.js";
import { type CiJob, readCiJob } from "./ci-job.js";
import { repositoryKey } from "./repository-key.js";

/** The git repository that a command works for. */
export interface Repository {
  /** Identifies the repository, without its address. */
  readonly key: string;
  /** The name of its remote in the clone, or its address, for git. */
  readonly remote: string;
}

/** The CI job and the git repository that a command runs for. */
export interface GitContext {
  readonly job: CiJob;
  /** Undefined without a clone that has a remote, outside of CI. */
  readonly repository: Repository | undefined;
  /** Why git does not say which remotes the folder has. */
  readonly problem: CliError | undefined;
}

/**
 * Returns the CI job and the git repository that a command runs for: of `--remote`, else of the CI job, else the remote `origin`
 * of the clone or the only remote that it has.
 *
 * @param remote Name of a remote of the clone, or an address.
 * @throws `preview:unknown_remote`; `preview:several_remotes`.
 */
export const gitContextOf = async (remote: string | undefined, context: Context): Promise<GitContext> => {
  const job = await readCiJob(context.env);
  const { remotes, problem } = await remotesIn(context);
  const folder = await rootFolder(context);
  const keyOf = (url: string): string => repositoryKey(url, folder);
  const within = (repository: Repository | undefined): GitContext => ({ job, repository, problem });
  const known = ({ name, url }: Remote): GitContext => within({ key: keyOf(url), remote: name });
  if (remote !== undefined) {
    const named = remotes.find(({ name }) => name === remote);
    if (named) return known(named);
    if (/[:/\\]/.test(remote)) return within({ key: keyOf(remote), remote });
    const names = remotes.map(({ name }) => name);
    throw problem ?? noSuchRemote(remote, names);
  }
  const { repository: address } = job;
  if (address !== undefined) {
    const key = keyOf(address);
    // The remote of the clone can have credentials that the address of the job lacks. The clone may be of another repository.
    const clone = remotes.find(({ url }) => keyOf(url) === key);
    return within({ key, remote: clone?.name ?? address });
  }
  const origin =
    remotes.find(({ name }) => name === "origin") ?? (remotes.length === 1 ? remotes[0] : undefined);
  if (origin) return known(origin);
  if (remotes.length > 0) throw severalRemotes(remotes.map(({ name }) => name));
  return within(undefined);
};

const remotesIn = async (
  context: Context,
): Promise<{ remotes: readonly Remote[]; problem: CliError | undefined }> => {
  try {
    return { remotes: await listRemotes(context), problem: undefined };
  } catch (error) {
    return { remotes: [], problem: gitProblem(error, context) };
  }
};

/**
 * Returns the git branch of the CI job, or of the folder.
 *
 * @throws `usage:missing` if there is none; `preview:no_git`; `preview:git_refuses`.
 */
export const branchIn = async ({ job }: GitContext, context: Context): Promise<string> => {
  if (job.branch !== undefined) return job.branch;
  if (job.problem !== undefined) throw noBranch(job.problem);
  const branch = await currentBranch(context);
  if (branch === undefined) throw noBranch("the folder is not in a git repository");
  if (branch === null) throw noBranch("the folder is at a commit, not on a branch (detached HEAD)");
  return branch;
};
