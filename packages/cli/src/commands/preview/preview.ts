import type { Branch, Database, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../context.js";
import { noBranch, noProject, notAPreview } from "../../errors/preview-errors.js";
import { takeDefault } from "../../profiles/defaults.js";
import type { DryRunFormat } from "../../program/dry-run-option.js";
import { ApiError } from "../../service/sdk.js";
import { currentBranch } from "./git.js";

export interface PreviewFlags {
  readonly branch: string | undefined;
  readonly projectId: string | undefined;
  readonly dryRun: DryRunFormat | undefined;
}

/** Logical id of the preview database on its branch. */
export const previewId = "preview";

/** Variables of CI systems with the branch of the job; for a pull request, its source. */
const branchVariables = [
  "GITHUB_HEAD_REF",
  "GITHUB_REF_NAME",
  "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
  "CI_COMMIT_BRANCH",
];

/** Returns the git branch of the flags, the CI job, or the working directory. */
export const branchOf = async ({ branch }: PreviewFlags, { env, cwd }: Context): Promise<string> => {
  const found =
    branch ?? branchVariables.map((name) => env[name]?.trim()).find(Boolean) ?? (await currentBranch(cwd));
  if (found === undefined) throw noBranch();
  return found;
};

/** Returns the project of the flags, which may be a name, or the default one. */
export const projectOf = ({ projectId }: PreviewFlags, flags: GlobalFlags, context: Context): string => {
  const found = projectId ?? takeDefault("projectId", flags, context)?.value;
  if (found === undefined) throw noProject();
  return found;
};

/** Refuses the branches that always exist. */
export const assertPreview = ({ gitName, isDefault, role }: Branch): void => {
  if (isDefault || role === "production") throw notAPreview(gitName);
};

/** Returns the preview database of a branch. */
export const findPreview = async (
  projectId: string,
  branchId: string,
  client: MgmtClient,
  { signal }: Context,
): Promise<Database | undefined> => {
  const query = { projectId, branchId, logicalId: previewId };
  const { data } = await client.databases.list(query, { signal });
  return data[0];
};

/** What was deleted of one preview. */
export interface DeletedPreview {
  readonly branch: string;
  readonly databaseId: string | null;
  /** Null if the branch still has other databases or services. */
  readonly branchId: string | null;
}

/**
 * Deletes a preview database, and its branch unless that has something else. What is gone already counts as deleted.
 *
 * @param output Where to print what was deleted. Undefined in a dry run.
 */
export const deletePreview = async (
  branch: Branch,
  database: Database | undefined,
  client: MgmtClient,
  output: Context["output"] | undefined,
  signal: AbortSignal,
): Promise<DeletedPreview> => {
  const { gitName } = branch;
  if (database) {
    await ignoring(["database:not_found"], client.databases.delete(database.id, { signal }));
    output?.info(`Deleted database ${database.id} of ${gitName}.`);
  }
  const kept = await ignoring(
    ["branch:not_found", "branch:has_resources"],
    client.branches.delete(branch.id, { signal }),
  );
  const isKept = kept?.code === "branch:has_resources";
  output?.info(
    isKept
      ? `Branch ${gitName} still has other databases or services and was not deleted.`
      : `Deleted branch ${gitName}.`,
  );
  return { branch: gitName, databaseId: database?.id ?? null, branchId: isKept ? null : branch.id };
};

/** Waits for a call. Returns its error if that has one of the codes. */
const ignoring = async (
  codes: readonly string[],
  call: PromiseLike<unknown>,
): Promise<ApiError | undefined> => {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && codes.includes(error.code)) return error;
    throw error;
  }
};
