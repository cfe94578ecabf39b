import type { Branch, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { resolveIdOrName } from "../run/names/resolve-id-or-name.js";
import { connect } from "../service/connect.js";
import { SequenceDryRun } from "../service/dry-run.js";
import {
  assertMayBePreview,
  resolveBranch,
  findPreview,
  type Preview,
  type PreviewFlags,
  resolveProject,
} from "./preview.js";
import { type GitContext, resolveGitContext } from "../git/repository.js";

/** A project, and the client that reaches it. */
export interface ConnectedProject {
  readonly client: MgmtClient;
  readonly projectId: string;
  /** Records the requests that change something instead of sending them. */
  readonly dryRun: SequenceDryRun | undefined;
}

/** The git branch of a preview command in its project. */
export interface ConnectedBranch extends ConnectedProject {
  readonly gitName: string;
  readonly gitContext: GitContext;
}

/** Connects to a project by its id or name. */
export const connectToProject = async (
  projectIdOrName: string,
  options: { readonly dryRun?: PreviewFlags["dryRun"] },
  flags: GlobalFlags,
  context: Context,
): Promise<ConnectedProject> => {
  const dryRun = options.dryRun === undefined ? undefined : new SequenceDryRun();
  const client = await connect(flags, context, dryRun && { middleware: [dryRun.middleware] });
  return {
    client,
    projectId: await resolveIdOrName("project", projectIdOrName, client, flags, context),
    dryRun,
  };
};

/** Finds the project and the git branch of a command, and connects to the project. */
export const connectForGitBranch = async (
  previewFlags: Omit<PreviewFlags, "dryRun"> & { readonly dryRun?: PreviewFlags["dryRun"] },
  globalFlags: GlobalFlags,
  context: Context,
): Promise<ConnectedBranch> => {
  const gitContext = await resolveGitContext(previewFlags.remote, context);
  const { repository, problem } = gitContext;
  // Without git, the folder is taken for one outside of a clone.
  if (!repository && problem && problem.code !== "preview:no_git") throw problem;
  const gitName = await resolveBranch(previewFlags, gitContext, context);
  const project = await resolveProject(previewFlags, globalFlags, context);
  return { ...(await connectToProject(project, previewFlags, globalFlags, context)), gitName, gitContext };
};

/** Returns the branch in the project and its preview, each if it exists. Rejects the branches that always exist. */
export const findBranchAndPreview = async (
  { client, projectId, gitName, gitContext }: ConnectedBranch,
  context: Context,
): Promise<{ branch?: Branch; preview?: Preview | undefined }> => {
  const { signal } = context;
  const branches = client.projects.branches.list(projectId, { gitName }, { signal });
  const [branch] = await branches.toArray({ limit: 1 });
  if (!branch) return {};
  assertMayBePreview(branch);
  return { branch, preview: await findPreview(branch, gitContext, client, context) };
};
