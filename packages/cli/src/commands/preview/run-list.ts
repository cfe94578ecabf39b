import type { Context, GlobalFlags } from "../../input/context.js";
import type { CliError } from "../../errors/cli-error.js";
import { listCheckedOutBranches } from "../../git/clone.js";
import { toGitProblem } from "../../git/run-git.js";
import { listRemoteBranches } from "../../git/remote.js";
import { listPreviews, type PreviewWithState } from "../../preview/list-previews.js";
import { connectToProject } from "../../preview/connect-branch.js";
import { type PreviewFlags, resolveProject } from "../../preview/preview.js";
import type { GitState, GitBranchStatus } from "../../preview/git-branch-status.js";
import { type GitContext, resolveGitContext } from "../../git/repository.js";

/** One line of `mgmt preview list`. */
export interface ListedPreview {
  readonly branch: string;
  readonly databaseId: string;
  readonly branchId: string;
  readonly status: string;
  readonly region: string | null;
  readonly createdAt: string;
  /** It is null if it does not expire. */
  readonly expiresAt: string | null;
  /** How its branch stands in git. */
  readonly remote: GitBranchStatus;
  /** What identifies its git repository, or null if it was made without one. */
  readonly repository: string | null;
  /** First digits of the commit that `mgmt preview up` last ran for. */
  readonly commit: string | null;
  /** Whether its setup has not succeeded yet. */
  readonly setupPending: boolean;
  /** Id of its first connection. */
  readonly connectionId: string | null;
}

/** Prints the previews of a project. */
export const runPreviewList = async (
  options: Pick<PreviewFlags, "projectId" | "remote">,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  output.assertPrintsLists();
  const gitContext = await resolveGitContext(options.remote, context);
  const project = await resolveProject(options, flags, context);
  const { client, projectId } = await connectToProject(project, {}, flags, context);
  const previews = await listPreviews(projectId, await readGitState(gitContext, context), client, signal);
  await output.writeList([previews.map(toListedPreview)], "Preview");
};

/** Returns the known state of a repository. Without its remote, the list still shows everything else. */
const readGitState = async (
  { job, repository, problem }: GitContext,
  context: Context,
): Promise<GitState> => {
  const warn = ({ code, message }: CliError): Promise<void> => context.output.warn({ code, message });
  if (!repository) {
    if (problem) await warn(problem);
    return { repositoryKey: undefined, checkedOutBranches: new Set(), remoteBranches: undefined };
  }
  const { key: repositoryKey, remote } = repository;
  const checkedOutBranches = new Set([job.branch ?? ""]);
  try {
    for (const branch of await listCheckedOutBranches(context)) checkedOutBranches.add(branch);
    return { repositoryKey, checkedOutBranches, remoteBranches: await listRemoteBranches(remote, context) };
  } catch (error) {
    await warn(toGitProblem(error, context));
    return { repositoryKey, checkedOutBranches, remoteBranches: undefined };
  }
};

const toListedPreview = ({ branch, preview, state }: PreviewWithState): ListedPreview => {
  const { database, repository, record } = preview;
  return {
    branch: branch.gitName,
    databaseId: database.id,
    branchId: branch.id,
    status: database.status,
    region: database.region?.id ?? null,
    createdAt: database.createdAt,
    expiresAt: record.expiresAt ?? null,
    remote: state,
    repository,
    commit: record.commit ?? null,
    setupPending: record.setupPending ?? false,
    connectionId: database.defaultConnectionId,
  };
};
