import type { Context, GlobalFlags } from "../../context/context.js";
import { CliError } from "../../errors/cli-error.js";
import { checkedOutBranches } from "../../git/clone.js";
import { remoteBranches } from "../../git/remote.js";
import { listPreviews, type PlacedPreview } from "./list-previews.js";
import { openProject } from "./open-branch.js";
import { type PreviewFlags, projectOf } from "./preview.js";
import type { GitState, RemoteState } from "./remote-state.js";
import { type Repository, surroundingsOf } from "./repository.js";

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
  const { job, repository } = await surroundingsOf(options.remote, context);
  const project = await projectOf(options, flags, context);
  const { client, projectId } = await openProject(project, {}, flags, context);
  const previews = await listPreviews(
    projectId,
    await gitStateOf(repository, job.branch, context),
    client,
    signal,
  );
  await output.list([previews.map(listed)], "Preview");
};

/** Returns what is known of a repository. Without its remote, the list still shows everything else. */
const gitStateOf = async (
  repository: Repository | undefined,
  branchOfJob: string | undefined,
  context: Context,
): Promise<GitState> => {
  if (!repository) return { key: undefined, checkedOut: new Set(), alive: undefined };
  const checkedOut = new Set([...(await checkedOutBranches(context)), branchOfJob ?? ""]);
  const known = { key: repository.key, checkedOut };
  try {
    return { ...known, alive: await remoteBranches(repository.remote, context) };
  } catch (error) {
    if (!(error instanceof CliError) || context.signal.aborted) throw error;
    await context.output.warn({ code: error.code, message: error.message });
    return { ...known, alive: undefined };
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
