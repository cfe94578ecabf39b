import { escapeUnsafe } from "@mgmt/internal/text/unsafe-characters";
import type { SerializationContext } from "../context/row-json-cache.js";
import { operations } from "../generated/operations.js";
import { collections, type CollectionName } from "../store/collections.js";
import type { ApprovalRow, Row } from "../store/rows.js";
import { formatTimestamp } from "../values/clock.js";

/** Maximum number of names of one resource type in a text. */
const maxNames = 5;
const maxNameLength = 80;

type Rows = readonly object[];

/** The rows that are deleted or moved together with a resource, by resource type. */
const dependents: Readonly<
  Record<string, (store: SerializationContext["store"], id: string) => Readonly<Record<string, Rows>>>
> = {
  project: (store, projectId) => ({
    database: store.databases.list({ projectId }),
    service: store.apps.list({ projectId }),
    branch: store.branches.list({ projectId }),
  }),
  branch: (store, branchId) => ({
    database: store.databases.list({ branchId }),
    service: store.apps.list({ branchId }),
  }),
  database: (store, databaseId) => ({
    connection: store.connections.list({ databaseId }),
    backup: store.backups.list({ databaseId }),
  }),
  app: (store, appId) => ({
    deployment: store.deployments.list({ appId }),
    domain: store.apps.get(appId)?.domains ?? [],
  }),
};

/**
 * Returns in sentences what a request does, for the sponsor who decides about it: which resource it changes, by its name, and what depends on
 * that now. Names are quoted.
 */
export const describeEffect = (context: SerializationContext, approval: ApprovalRow): string => {
  const { operationId, details = {} } = approval;
  const { resourceType, id } = findTarget(approval);
  const subject = describeResource(context, resourceType, id);
  const dependentText = describeDependents(dependents[resourceType]?.(context.store, id) ?? {});
  const withDependents = dependentText && `, with ${dependentText}`;
  switch (operationId) {
    case "databases.restore":
      return (
        `Replaces the content of ${subject} with ${describeBackup(context, String(details["source.backupId"]))}. ` +
        `What was written since then is lost.`
      );
    case "connections.rotate":
      return `Replaces the password of ${subject}. Programs that have the present one can no longer connect.`;
    case "workspaces.integrations.delete":
      return `Ends all access of ${subject} to the workspace.`;
    case "projects.transfer":
      return `Moves ${subject}${withDependents}, to the workspace ${String(details["recipientAccessToken"])}.`;
  }
  if (operationId.endsWith(".delete")) return `Deletes ${subject}${withDependents}.`;
  const changes = Object.entries(details).map(([name, value]) => `${name} to ${quote(value)}`);
  return changes.length > 0
    ? `Changes of ${subject}: ${changes.join(", ")}.`
    : `Runs ${operationId} on ${subject}.`;
};

/** Returns the resource that the path of the request names. */
const findTarget = ({ operationId, request }: ApprovalRow): { resourceType: string; id: string } => {
  const operation = Object.values(operations).find((entry) => entry.id === operationId);
  const segments = request.replace(/^\S+ /, "").split("/");
  const names = (operation?.path ?? "").split("/");
  // The last id of a path is the resource, after those that it belongs to.
  const index = names.findLastIndex((name) => name.startsWith("{"));
  const resourceType = operation?.pathResourceTypes[(names[index] ?? "").slice(1, -1)] ?? "resource";
  return { resourceType, id: segments[index] ?? "" };
};

const describeResource = (context: SerializationContext, resourceType: string, id: string): string => {
  const noun = resourceType === "app" ? "service" : resourceType.replaceAll("_", " ");
  const row = readRow(context, resourceType, id);
  if (!row) return `the ${noun} ${id}`;
  const name = getName(row);
  const text = `the ${noun} ${name === undefined ? id : `${quote(name)} (${id})`}`;
  const [ownerType, ownerId] =
    ["database", "project", "app"]
      .map((owner) => [owner, Reflect.get(row, `${owner}Id`) as unknown])
      .find(([owner, value]) => owner !== resourceType && typeof value === "string") ?? [];
  return typeof ownerType === "string" && typeof ownerId === "string"
    ? `${text} of ${describeResource(context, ownerType, ownerId)}`
    : text;
};

const describeBackup = (context: SerializationContext, id: string): string => {
  const backup = context.store.backups.get(id);
  const time = backup ? ` of ${formatTimestamp(backup.createdAt)}` : "";
  return `the backup ${id}${time}`;
};

const describeDependents = (rowsByNoun: Readonly<Record<string, Rows>>): string =>
  Object.entries(rowsByNoun)
    .filter(([, rows]) => rows.length > 0)
    .map(([noun, rows]) => {
      const names = rows.flatMap((row) => getName(row) ?? []).map(quote);
      const shownNames = [...names.slice(0, maxNames), ...(names.length > maxNames ? ["…"] : [])];
      const suffix = shownNames.length > 0 ? ` (${shownNames.join(", ")})` : "";
      return `${String(rows.length)} ${rows.length === 1 ? noun : noun.replace(/(?<=branch)$/, "e") + "s"}${suffix}`;
    })
    .join(", ");

const readRow = ({ store }: SerializationContext, resourceType: string, id: string): Row | undefined => {
  // The keys of an object literal are the names of its type.
  const names = Object.keys(collections) as CollectionName[];
  const name = names.find(
    (candidate) => Reflect.get(collections[candidate], "resourceType") === resourceType,
  );
  return name && store[name].get(id);
};

const getName = (row: object): string | undefined => {
  const name: unknown = Reflect.get(row, "name") ?? Reflect.get(row, "gitName");
  return typeof name === "string" ? name : undefined;
};

/** Names are texts of tenants, which may look like a sentence. */
const quote = (value: unknown): string => {
  const text = String(value);
  const shortText = text.length > maxNameLength ? `${text.slice(0, maxNameLength)}…` : text;
  return escapeUnsafe(JSON.stringify(shortText));
};
