import type { MgmtClient } from "@mgmt/sdk";
import { isObject, valueAt } from "../json-path.js";
import { printable } from "../output/printable.js";
import { ApiError } from "../service/sdk.js";

/** What a resource is called and what is in it, printable. */
export interface Described {
  readonly noun: string;
  readonly id: string;
  readonly name: string | undefined;
  /** Such as `2 databases: main, reports`. */
  readonly contents: readonly string[];
}

/** Where a kind of resource is read, and the lists of what belongs to it. `{id}` is its id. */
interface Kind {
  readonly noun: string;
  readonly path: string;
  /** The path is that of a list, whose items have their id here. */
  readonly listedAs?: readonly string[];
  readonly contents?: readonly (readonly [singular: string, plural: string, path: string, filter?: string])[];
}

const kinds: Readonly<Record<string, Kind>> = {
  project: {
    noun: "project",
    path: "/v1/projects/{id}",
    contents: [
      ["database", "databases", "/v1/databases", "projectId"],
      ["branch", "branches", "/v1/projects/{id}/branches"],
      ["service", "services", "/v1/services", "projectId"],
    ],
  },
  database: {
    noun: "database",
    path: "/v1/databases/{id}",
    contents: [
      ["connection", "connections", "/v1/connections", "databaseId"],
      ["backup", "backups", "/v1/databases/{id}/backups"],
    ],
  },
  branch: {
    noun: "branch",
    path: "/v1/branches/{id}",
    contents: [
      ["database", "databases", "/v1/databases", "branchId"],
      ["service", "services", "/v1/services", "branchId"],
    ],
  },
  app: {
    noun: "service",
    path: "/v1/services/{id}",
    contents: [["deployment", "deployments", "/v1/services/{id}/deployments"]],
  },
  connection: { noun: "connection", path: "/v1/connections/{id}" },
  deployment: { noun: "deployment", path: "/v1/deployments/{id}" },
  integration: { noun: "integration", path: "/v1/integrations/{id}" },
  "service token": {
    noun: "service token",
    path: "/v1/workspaces/{workspaceId}/service-tokens",
    listedAs: ["id"],
  },
  client: {
    noun: "integration",
    path: "/v1/workspaces/{workspaceId}/integrations",
    listedAs: ["client", "id"],
  },
};

/** The largest page. More than this is counted as "1000+". */
const limit = 1_000;
const shownNames = 5;

/**
 * Reads a resource from the service, and what is in it.
 *
 * @param kind Kind of resource, as a path argument names it.
 * @param pathParams All path parameters of the command.
 * @returns Only the id for a kind that cannot be read.
 * @throws `ApiError` if the resource does not exist or cannot be read.
 */
export const lookUp = async (
  kind: string | undefined,
  id: string,
  pathParams: Readonly<Record<string, string>>,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Described> => {
  const found = kind !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!found) return { noun: kind ?? "resource", id, name: undefined, contents: [] };
  const { noun, path, listedAs, contents = [] } = found;
  const read = async (from: string, query: object): Promise<unknown> =>
    client.request<unknown>(
      { method: "GET", path: from, pathParams: { ...pathParams, id }, query },
      { signal },
    );
  const [body, ...lines] = await Promise.all([
    read(path, listedAs ? { limit } : {}),
    ...contents.map(async ([singular, plural, from, filter]) => {
      const query = { limit, ...(filter !== undefined && { [filter]: id }) };
      return counted(await read(from, query).catch(withoutAccess), singular, plural);
    }),
  ]);
  const data = valueAt(body, ["data"]);
  const item: unknown =
    listedAs && Array.isArray(data) ? data.find((each) => valueAt(each, listedAs) === id) : data;
  return { noun, id, name: nameOf(item), contents: lines.filter((line) => line !== undefined) };
};

/** What the credential may not read is not described. The resource itself decides whether it exists. */
const withoutAccess = (error: unknown): undefined => {
  if (error instanceof ApiError && [403, 404, 422].includes(error.status)) return undefined;
  throw error;
};

const counted = (body: unknown, singular: string, plural: string): string | undefined => {
  const items = valueAt(body, ["data"]);
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const more = valueAt(body, ["pagination", "hasMore"]) === true;
  const names = items.slice(0, shownNames).flatMap((item: unknown) => nameOf(item) ?? []);
  const list = names.length === 0 ? "" : `: ${names.join(", ")}${items.length > names.length ? ", …" : ""}`;
  return `${String(items.length)}${more ? "+" : ""} ${items.length === 1 ? singular : plural}${list}`;
};

const nameOf = (item: unknown): string | undefined => {
  if (!isObject(item)) return undefined;
  const name = item["name"] ?? item["displayName"] ?? item["gitName"] ?? valueAt(item, ["client", "name"]);
  return typeof name === "string" && name !== "" ? printable(name) : undefined;
};
