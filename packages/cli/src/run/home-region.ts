import { isNotAccessibleError } from "../errors/not-accessible.js";
import type { Database, MgmtClient } from "@mgmt/sdk";
import { maxPageSize } from "../contract/list-call.js";
import type { Notice } from "../output/messages.js";

/** The project of a new database, and the database that it is created from. */
export interface DatabaseOrigin {
  readonly projectId: string;
  /** The database that it is created from, directly or from a backup. */
  readonly sourceId?: string | undefined;
}

/** The region that the data of a new database is expected to stay in. */
export interface HomeRegion {
  readonly region: string;
  /** The resource that has this region: `project shop`. */
  readonly owner: string;
}

/**
 * Returns the region of the source of a new database, or else of its project: the project's default region, or else the region
 * of its default database. Returns undefined if the project has neither, or if the credential cannot read them.
 */
export const findHomeRegion = async (
  { projectId, sourceId }: DatabaseOrigin,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<HomeRegion | undefined> => {
  try {
    if (sourceId !== undefined)
      return toHomeRegion(await client.databases.get(sourceId, { signal }), "database");
    const { defaultRegion, ...project } = await client.projects.get(projectId, { signal });
    if (defaultRegion) return { region: defaultRegion, owner: `project ${project.name}` };
    for await (const database of client.databases.list({ projectId, limit: maxPageSize }, { signal }))
      if (database.isDefault) return toHomeRegion(database, "default database");
    return undefined;
  } catch (error) {
    // The request that creates the database reports resources that do not exist or are not accessible.
    if (isNotAccessibleError(error)) return undefined;
    throw error;
  }
};

const toHomeRegion = ({ region, name }: Database, noun: string): HomeRegion | undefined =>
  region ? { region: region.id, owner: `${noun} ${name}` } : undefined;

/** Returns the notice about a database whose data will be in another region than its project or source. */
export const createOtherRegionNotice = (subject: string, region: string, homeRegion: HomeRegion): Notice => ({
  code: "region:other",
  message: `${subject} is created in ${region}, but ${homeRegion.owner} is in ${homeRegion.region}: its data leaves that region.`,
  region,
  expected: homeRegion.region,
});
