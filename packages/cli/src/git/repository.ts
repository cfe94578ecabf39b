import type { Context } from "../input/context.js";
import type { CliError } from "../errors/cli-error.js";
import { missingBranchError, unknownRemoteError, severalRemotesError } from "../errors/preview-errors.js";
import { findCurrentBranch, listRemotes, type GitRemote, resolveRootFolder } from "./clone.js";
import { toGitProblem } from "./run-git.js";
import { type CiJob, readCiJob } from "./ci-job.js";
import { createRepositoryKey } from "./repository-key.js";

/** The git repository that a command works for. */
export interface Repository {
  /** Identifies the repository, without its URL. */
  readonly key: string;
  /** The name of its remote in the clone, or its URL, for git. */
  readonly remote: string;
}

/** The CI job and the git repository that a command runs for. */
export interface GitContext {
  readonly job: CiJob;
  /** It is undefined without a clone that has a remote, outside of CI. */
  readonly repository: Repository | undefined;
  /** Why git does not report the remotes of the folder. */
  readonly problem: CliError | undefined;
}

/**
 * Returns the CI job and the git repository that a command runs for: of `--remote`, else of the CI job, else the remote `origin`
 * of the clone or the only remote that it has.
 *
 * @param remote name of a remote of the clone, or a URL.
 * @throws `preview:unknown_remote`; `preview:several_remotes`.
 */
export const resolveGitContext = async (
  remote: string | undefined,
  context: Context,
): Promise<GitContext> => {
  const job = await readCiJob(context.env);
  const { remotes, problem } = await tryListRemotes(context);
  const folder = await resolveRootFolder(context);
  const createKey = (url: string): string => createRepositoryKey(url, folder);
  const buildContext = (repository: Repository | undefined): GitContext => ({ job, repository, problem });
  const buildRemoteContext = ({ name, url }: GitRemote): GitContext =>
    buildContext({ key: createKey(url), remote: name });
  if (remote !== undefined) {
    const namedRemote = remotes.find(({ name }) => name === remote);
    if (namedRemote) return buildRemoteContext(namedRemote);
    if (/[:/\\]/.test(remote)) return buildContext({ key: createKey(remote), remote });
    const names = remotes.map(({ name }) => name);
    throw problem ?? unknownRemoteError(remote, names);
  }
  const { repository: jobUrl } = job;
  if (jobUrl !== undefined) {
    const key = createKey(jobUrl);
    // The remote of the clone can have credentials that the URL of the job lacks. The clone may be of another repository.
    const cloneRemote = remotes.find(({ url }) => createKey(url) === key);
    return buildContext({ key, remote: cloneRemote?.name ?? jobUrl });
  }
  const originRemote =
    remotes.find(({ name }) => name === "origin") ?? (remotes.length === 1 ? remotes[0] : undefined);
  if (originRemote) return buildRemoteContext(originRemote);
  if (remotes.length > 0) throw severalRemotesError(remotes.map(({ name }) => name));
  return buildContext(undefined);
};

const tryListRemotes = async (
  context: Context,
): Promise<{ remotes: readonly GitRemote[]; problem: CliError | undefined }> => {
  try {
    return { remotes: await listRemotes(context), problem: undefined };
  } catch (error) {
    return { remotes: [], problem: toGitProblem(error, context) };
  }
};

/**
 * Returns the git branch of the CI job, or of the folder.
 *
 * @throws `usage:missing` if there is none; `preview:no_git`; `preview:git_refuses`.
 */
export const requireGitBranch = async ({ job }: GitContext, context: Context): Promise<string> => {
  if (job.branch !== undefined) return job.branch;
  if (job.problem !== undefined) throw missingBranchError(job.problem);
  const branch = await findCurrentBranch(context);
  if (branch === undefined) throw missingBranchError("the folder is not in a git repository");
  if (branch === null) throw missingBranchError("the folder is at a commit, not on a branch (detached HEAD)");
  return branch;
};
