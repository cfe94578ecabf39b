import type { Branch, Database, DatabaseRegion, MgmtClient } from "@mgmt/sdk";
import type { Context } from "../../input/context.js";
import { defaultDatabaseOf } from "../../run/database-url.js";
import { ApiError } from "../../contract/sdk.js";
import { logicalIdOf, nameWith, type PreviewRecord, recordIn } from "./record.js";

/**
 * Returns the database that previews are copies of: the project's default one if it is on the default branch, or else the only
 * one there. Throws `database:not_found` and `database:several`.
 */
export const defaultSource = async (
  projectId: string,
  branches: readonly Branch[],
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Database> => {
  const branchId = branches.find(({ isDefault }) => isDefault)?.id;
  const query = { projectId, ...(branchId !== undefined && { branchId }) };
  const databases = await client.databases.list(query, { signal }).toArray();
  return defaultDatabaseOf(projectId, databases);
};

/** Returns the database that a preview was copied from. If that is gone, the one that a new preview would be a copy of. */
export const sourceOf = async (
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
  return defaultSource(projectId, branches, client, signal);
};

/** A preview database to create. */
export interface NewPreview {
  readonly projectId: string;
  readonly branchId: string;
  readonly gitName: string;
  /** Key of the git repository. */
  readonly repository: string | undefined;
  readonly record: PreviewRecord;
  readonly source: Pick<Database, "id" | "region">;
}

export interface EnsuredCopy {
  readonly id: string;
  readonly region: string | null;
  readonly created: boolean;
  /** What it remembers. If another run has created it meanwhile, what that run has stored. */
  readonly record: PreviewRecord;
}

/** Creates the preview database of a branch in the region of its source, unless it exists. */
export const ensureCopy = async (
  { projectId, branchId, gitName, repository, record, source }: NewPreview,
  client: MgmtClient,
  { signal }: Pick<Context, "signal">,
): Promise<EnsuredCopy> => {
  const body = {
    projectId,
    branchId,
    logicalId: logicalIdOf(repository),
    name: nameWith(gitName, record),
    // The service accepts every region that it returns, also one that this version does not know.
    region: (source.region?.id ?? "inherit") as DatabaseRegion,
    source: { type: "database", databaseId: source.id } as const,
  };
  const { resource, created } = await client.databases.ensure(body, { signal });
  const region = resource.region?.id ?? null;
  return { id: resource.id, region, created, record: created ? record : recordIn(resource.name) };
};
