import type { Branch, Database, MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { ApiError } from "../sdk/sdk.js";

/** What was deleted of one preview. */
export interface DeletedPreview {
  readonly branch: string;
  readonly databaseId: string | null;
  /** It is null if the branch still has other databases or services. */
  readonly branchId: string | null;
}

/**
 * Deletes a preview database, and its branch unless that has something else. Resources that no longer exist count as deleted.
 *
 * @param databases the preview, and second ones of the same repository that an interrupted `ensurePreviewCopy` has left.
 * @param output where to print what was deleted, or undefined in a dry run.
 */
export const deletePreview = async (
  branch: Branch,
  databases: readonly Database[],
  client: MgmtClient,
  output: Context["output"] | undefined,
  signal: AbortSignal,
): Promise<DeletedPreview> => {
  const { gitName } = branch;
  for (const { id } of databases) {
    await deleteDatabase(id, client, signal);
    output?.info(`Deleted database ${id} of ${gitName}.`);
  }
  const error = await catchApiErrors(
    ["branch:not_found", "branch:has_resources"],
    client.branches.delete(branch.id, { signal }),
  );
  const isBranchInUse = error?.code === "branch:has_resources";
  output?.info(
    isBranchInUse
      ? `Branch ${gitName} still has other databases or services and was not deleted.`
      : `Deleted branch ${gitName}.`,
  );
  return {
    branch: gitName,
    databaseId: databases[0]?.id ?? null,
    branchId: isBranchInUse ? null : branch.id,
  };
};

/** Deletes a database unless it no longer exists. */
export const deleteDatabase = async (id: string, client: MgmtClient, signal: AbortSignal): Promise<void> => {
  await catchApiErrors(["database:not_found"], client.databases.delete(id, { signal }));
};

/** Waits for a call. Returns its error if that has one of the codes. */
export const catchApiErrors = async (
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
