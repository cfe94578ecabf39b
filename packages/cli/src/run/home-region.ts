import type { MgmtClient } from "@mgmt/sdk";
import { valueAt } from "../contract/json-path.js";
import type { Notice } from "../output/output.js";
import { listCall, nameOfItem } from "../contract/list.js";
import { ApiError } from "../contract/sdk.js";

/** What a new database belongs to. */
export interface Origin {
  readonly projectId: string;
  /** The database that it is created from, directly or from a backup. */
  readonly sourceId?: string | undefined;
}

/** The region that the data of a new database is expected to stay in. */
export interface HomeRegion {
  readonly region: string;
  /** What has this region: `project shop`. */
  readonly of: string;
}

/**
 * Returns the region of the source of a new database, or else of its project: the project's default region, or else the region
 * of its default database. Returns undefined if the project has neither, or if the credential cannot read them.
 */
export const homeRegion = async (
  { projectId, sourceId }: Origin,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<HomeRegion | undefined> => {
  const read = async (collection: string, id: string): Promise<unknown> =>
    valueAt(
      await client.request<unknown>(
        { method: "GET", path: `/v1/${collection}/{id}`, pathParams: { id } },
        { signal },
      ),
      ["data"],
    );
  try {
    if (sourceId !== undefined) return homeAt(await read("databases", sourceId), "database");
    const project = await read("projects", projectId);
    const own = homeAt(project, "project");
    if (own) return own;
    for await (const { data } of client
      .requestPages(listCall("database", { project: projectId }), { signal })
      .pages()) {
      const found = data.find((each) => valueAt(each, ["isDefault"]) === true);
      if (found) return homeAt(found, "default database");
    }
    return undefined;
  } catch (error) {
    // The request that creates the database reports what does not exist or is not accessible.
    if (error instanceof ApiError && [403, 404, 422].includes(error.status)) return undefined;
    throw error;
  }
};

const homeAt = (resource: unknown, noun: string): HomeRegion | undefined => {
  const region = valueAt(resource, ["defaultRegion"]) ?? valueAt(resource, ["region", "id"]);
  if (typeof region !== "string") return undefined;
  const name = nameOfItem(resource) ?? String(valueAt(resource, ["id"]));
  return { region, of: `${noun} ${name}` };
};

/** Returns what to say about a database whose data will be in another region than what it belongs to. */
export const otherRegionNotice = (what: string, region: string, home: HomeRegion): Notice => ({
  code: "region:other",
  message: `${what} is created in ${region}, but ${home.of} is in ${home.region}: its data leaves that region.`,
  region,
  expected: home.region,
});
