import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../context.js";
import { nothingToChoose } from "../errors/usage-errors.js";
import { idPrefixes } from "../generated/id-prefixes.js";
import { choose, type Choice } from "../input/choose.js";
import { isObject, valueAt } from "../json-path.js";
import { printable } from "../output/printable.js";
import { findDefault } from "../profiles/defaults.js";
import { isDefaultName } from "../profiles/profile.js";

/** Ids by kind of resource: `{ project: "proj_…" }`. */
export type Known = Record<string, string>;

/** Where the resources of a kind are listed. */
interface Listing {
  readonly path: string;
  /** The kind of resource that they belong to, and the parameter for its id. */
  readonly parent?: { readonly kind: string; readonly parameter: string; readonly required: boolean };
  /** Where the id is in an item. Default: `id`. */
  readonly id?: readonly string[];
}

const within = (kind: string, parameter: string, required: boolean): Pick<Listing, "parent"> => ({
  parent: { kind, parameter, required },
});

const listings: Readonly<Record<string, Listing>> = {
  workspace: { path: "/v1/workspaces" },
  project: { path: "/v1/projects" },
  database: { path: "/v1/databases", ...within("project", "projectId", false) },
  connection: { path: "/v1/connections", ...within("database", "databaseId", false) },
  backup: { path: "/v1/databases/{databaseId}/backups", ...within("database", "databaseId", true) },
  branch: { path: "/v1/projects/{projectId}/branches", ...within("project", "projectId", true) },
  app: { path: "/v1/services", ...within("project", "projectId", false) },
  deployment: { path: "/v1/services/{serviceId}/deployments", ...within("app", "serviceId", true) },
  "service token": {
    path: "/v1/workspaces/{workspaceId}/service-tokens",
    ...within("workspace", "workspaceId", true),
  },
  integration: { path: "/v1/integrations", ...within("workspace", "workspaceId", true) },
  client: { path: "/v1/integrations", ...within("workspace", "workspaceId", true), id: ["client", "id"] },
};

/** Words for people. */
const nouns: Readonly<Record<string, string>> = { app: "service" };

/** Whether the service lists the resources of a kind. */
export const isListed = (kind: string): boolean => Object.hasOwn(listings, kind);

/** Returns the kind of resource whose ids start with a prefix. */
export const kindOfPrefix = (prefix: string | undefined): string | undefined =>
  Object.entries(idPrefixes)
    .find(([, each]) => each === prefix)?.[0]
    .replaceAll("_", " ");

interface Choosing {
  readonly client: MgmtClient;
  /** Resources to choose from belong to these, if they can. */
  readonly known: Known;
  readonly flags: GlobalFlags;
  readonly context: Context;
}

/** The largest page. Longer lists are searched, and accept an id that is typed. */
const limit = 1_000;

/**
 * Asks for one of the resources of a kind, and first for the one that it belongs to if that must be known.
 *
 * @throws `usage:missing` if there are none.
 */
export const chooseResource = async (kind: string, title: string, choosing: Choosing): Promise<string> => {
  const { client, context } = choosing;
  const listing = listings[kind];
  const { path = "", parent, id = ["id"] } = listing ?? {};
  const parentId = parent && (await parentOf(parent, choosing));
  const isInPath = parent !== undefined && path.includes(`{${parent.parameter}}`);
  const named = parent && parentId !== undefined ? { [parent.parameter]: parentId } : {};
  const body = await client.request<unknown>(
    {
      method: "GET",
      path,
      pathParams: isInPath ? named : {},
      query: { ...(isInPath ? {} : named), limit },
    },
    { signal: context.signal },
  );
  const items = valueAt(body, ["data"]);
  const choices = (Array.isArray(items) ? items : []).flatMap((item: unknown): Choice[] => {
    const value = valueAt(item, id);
    return typeof value === "string" ? [{ value, name: nameOf(item, value) }] : [];
  });
  if (choices.length === 0) throw nothingToChoose(nouns[kind] ?? kind);
  const isComplete = valueAt(body, ["pagination", "hasMore"]) !== true;
  return choose({ title, choices, isComplete }, context);
};

const parentOf = async (
  { kind, required }: NonNullable<Listing["parent"]>,
  choosing: Choosing,
): Promise<string | undefined> => {
  const { known, flags, context } = choosing;
  const name = `${kind}Id`;
  const found = known[kind] ?? (isDefaultName(name) ? findDefault(name, flags, context)?.value : undefined);
  if (found !== undefined || !required) return found;
  const noun = nouns[kind] ?? kind;
  const id = await chooseResource(kind, `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}`, choosing);
  known[kind] = id;
  return id;
};

/** What identifies a resource for people: its name, what it belongs to, its status and its id. */
const nameOf = (item: unknown, id: string): string => {
  if (!isObject(item)) return id;
  const texts = [
    item["name"] ?? item["displayName"] ?? item["gitName"] ?? valueAt(item, ["client", "name"]),
    valueAt(item, ["project", "name"]),
    item["backupType"],
    item["status"],
    item["backupType"] === undefined ? undefined : item["createdAt"],
    id,
  ];
  return texts
    .filter((text): text is string => typeof text === "string" && text !== "")
    .map(printable)
    .join("  ");
};
