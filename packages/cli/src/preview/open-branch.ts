import type { Branch, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { idOf } from "../run/names/id-of.js";
import { connect } from "../service/connect.js";
import { SequenceDryRun } from "../service/dry-run.js";
import {
  assertPreview,
  branchOf,
  findPreview,
  type Preview,
  type PreviewFlags,
  projectOf,
} from "./preview.js";
import { type GitContext, gitContextOf } from "../git/repository.js";

/** A project, and the client that reaches it. */
export interface OpenProject {
  readonly client: MgmtClient;
  readonly projectId: string;
  /** Records the requests that change something instead of sending them. */
  readonly dryRun: SequenceDryRun | undefined;
}

/** The git branch of a preview command in its project. */
export interface OpenBranch extends OpenProject {
  readonly gitName: string;
  readonly gitContext: GitContext;
}

/** Connects to a project by its id or name. */
export const openProject = async (
  project: string,
  options: { readonly dryRun?: PreviewFlags["dryRun"] },
  flags: GlobalFlags,
  context: Context,
): Promise<OpenProject> => {
  const dryRun = options.dryRun === undefined ? undefined : new SequenceDryRun();
  const client = await connect(flags, context, dryRun && { middleware: [dryRun.middleware] });
  return { client, projectId: await idOf("project", project, client, flags, context), dryRun };
};

/** Finds the project and the git branch of a command, and connects to the project. */
export const openBranch = async (
  options: Omit<PreviewFlags, "dryRun"> & { readonly dryRun?: PreviewFlags["dryRun"] },
  flags: GlobalFlags,
  context: Context,
): Promise<OpenBranch> => {
  const gitContext = await gitContextOf(options.remote, context);
  const { repository, problem } = gitContext;
  // Without git, the folder is taken for one outside of a clone.
  if (!repository && problem && problem.code !== "preview:no_git") throw problem;
  const gitName = await branchOf(options, gitContext, context);
  const project = await projectOf(options, flags, context);
  return { ...(await openProject(project, options, flags, context)), gitName, gitContext };
};

/** Returns the branch in the project and its preview, each if it exists. Refuses the branches that always exist. */
export const findBranch = async (
  { client, projectId, gitName, gitContext }: OpenBranch,
  context: Context,
): Promise<{ branch?: Branch; preview?: Preview | undefined }> => {
  const { signal } = context;
  const branches = client.projects.branches.list(projectId, { gitName }, { signal });
  const [branch] = await branches.toArray({ limit: 1 });
  if (!branch) return {};
  assertPreview(branch);
  return { branch, preview: await findPreview(branch, gitContext, client, context) };
};
