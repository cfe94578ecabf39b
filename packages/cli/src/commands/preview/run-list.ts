import type { Context, GlobalFlags } from "../../input/context.js";
import type { CliError } from "../../errors/cli-error.js";
import { checkedOutBranches } from "../../git/clone.js";
import { gitProblem } from "../../git/run-git.js";
import { remoteBranches } from "../../git/remote.js";
import { listPreviews, type PlacedPreview } from "../../preview/list-previews.js";
import { openProject } from "../../preview/open-branch.js";
import { type PreviewFlags, projectOf } from "../../preview/preview.js";
import type { GitState, RemoteState } from "../../preview/remote-state.js";
import { type GitContext, gitContextOf } from "../../git/repository.js";

/** One line of `mgmt preview list`. */
export interface ListedPreview {
  readonly branch: string;
  readonly databaseId: string;
  readonly branchId: string;
  readonly status: string;
  readonly region: string | null;
  readonly createdAt: string;
  /** Null if it does not expire. */
  readonly expiresAt: string | null;
  /** How its branch stands in git. */
  readonly remote: RemoteState;
  /** What identifies its git repository. Null if it was made without one. */
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
  const gitContext = await gitContextOf(options.remote, context);
  const project = await projectOf(options, flags, context);
  const { client, projectId } = await openProject(project, {}, flags, context);
  const previews = await listPreviews(projectId, await gitStateOf(gitContext, context), client, signal);
  await output.list([previews.map(listed)], "Preview");
};

/** Returns the known state of a repository. Without its remote, the list still shows everything else. */
const gitStateOf = async ({ job, repository, problem }: GitContext, context: Context): Promise<GitState> => {
  const warn = ({ code, message }: CliError): Promise<void> => context.output.warn({ code, message });
  if (!repository) {
    if (problem) await warn(problem);
    return { key: undefined, checkedOut: new Set(), alive: undefined };
  }
  const { key, remote } = repository;
  const checkedOut = new Set([job.branch ?? ""]);
  try {
    for (const branch of await checkedOutBranches(context)) checkedOut.add(branch);
    return { key, checkedOut, alive: await remoteBranches(remote, context) };
  } catch (error) {
    await warn(gitProblem(error, context));
    return { key, checkedOut, alive: undefined };
  }
};

const listed = ({ branch, preview, state }: PlacedPreview): ListedPreview => {
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
