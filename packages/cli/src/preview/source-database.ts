import type { Branch, Database, DatabaseRegion, MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { requireDefaultDatabase } from "../postgres/database-access.js";
import { ApiError } from "../sdk/sdk.js";
import { deleteDatabase } from "./delete-preview.js";
import { listBranchPreviews } from "./preview.js";
import { buildLogicalId, buildPreviewName, type PreviewIdentity, type PreviewRecord } from "./record.js";
import type { PreviewWithRecord } from "./store-record.js";

/**
 * Returns the database that previews are copies of: the project's default one if it is on the default branch, or else the only
 * one there. Throws `database:not_found` and `database:several`.
 */
export const requireDefaultSource = async (
  projectId: string,
  branches: readonly Branch[],
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Database> => {
  const branchId = branches.find(({ isDefault }) => isDefault)?.id;
  const query = { projectId, ...(branchId !== undefined && { branchId }) };
  const databases = await client.databases.list(query, { signal }).toArray();
  return requireDefaultDatabase(projectId, databases);
};

/**
 * Returns the database that a preview was copied from. If it no longer exists, returns the database that a new preview would be a copy of.
 */
export const resolvePreviewSource = async (
  { source }: Database,
  projectId: string,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Database> => {
  if (source && "databaseId" in source) {
    try {
      return await client.databases.get(source.databaseId, { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || ![403, 404].includes(error.status)) throw error;
    }
  }
  const branches = await client.projects.branches.list(projectId, undefined, { signal }).toArray();
  return requireDefaultSource(projectId, branches, client, signal);
};

/** A preview database to create. */
export interface NewPreview extends PreviewIdentity {
  readonly projectId: string;
  readonly gitName: string;
  readonly record: PreviewRecord;
  readonly source: Pick<Database, "id" | "region">;
}

/** A preview that exists now, and whether this command created it. */
export interface EnsuredPreview {
  readonly preview: PreviewWithRecord;
  readonly region: string | null;
  readonly wasCreated: boolean;
}

/**
 * Creates the preview database of a branch in the region of its source, unless it exists.
 *
 * The service keeps logical ids unique, so that only one of several runs creates it. A run may create a second one after another has
 * stored a record in the logical id of the first. That is found and deleted before anything uses it: the oldest one is the preview.
 */
export const ensurePreviewCopy = async (
  { projectId, branchId, repository, gitName, record, source }: NewPreview,
  client: MgmtClient,
  { signal, dryRun }: Pick<Context, "signal"> & { readonly dryRun: boolean },
): Promise<EnsuredPreview> => {
  const identity = { repository, branchId };
  const body = {
    projectId,
    branchId,
    logicalId: buildLogicalId(identity),
    name: buildPreviewName(gitName, record),
    // The service accepts every region that it returns, also one that this version does not know.
    region: (source.region?.id ?? "inherit") as DatabaseRegion,
    source: { type: "database", databaseId: source.id } as const,
  };
  const { resource, created: wasCreated } = await client.databases.ensure(body, { signal });
  const { id } = resource;
  const branchPreviews = dryRun ? [] : await listBranchPreviews({ projectId, branchId }, client, signal);
  const oldestPreview = branchPreviews.find((preview) => preview.repository === repository);
  if (oldestPreview) {
    if (wasCreated && oldestPreview.database.id !== id) await deleteDatabase(id, client, signal);
    const region = oldestPreview.database.region?.id ?? null;
    return { preview: oldestPreview, region, wasCreated: wasCreated && oldestPreview.database.id === id };
  }
  const { name, logicalId } = body;
  const preview = { ...identity, database: { id, name, logicalId }, record: { commit: record.commit } };
  return { preview, region: resource.region?.id ?? null, wasCreated };
};
