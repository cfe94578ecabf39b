import type { OperationId } from "../generated/operations.js";
import type { Want } from "../store/want.js";
import type { VerifiedToken } from "./authenticate.js";
import { type Kind, canonicalId } from "./ids.js";
import type { Principal } from "./principal.js";
import type { Route } from "./route.js";

const tables: Readonly<Record<Kind, string>> = {
  user: "users",
  workspace: "workspaces",
  service_token: "serviceTokens",
  client: "clients",
  integration: "integrations",
  project: "projects",
  branch: "branches",
  database: "databases",
  connection: "connections",
  backup: "backups",
  app: "apps",
  deployment: "deployments",
  approval: "approvals",
};

/** Returns the want for a row. */
export const rowWant = (kind: Kind, id: string): Want => ({ read: "row", table: tables[kind], id });

/** Returns the want for the connections of a database. */
export const connectionsWant = (databaseId: string): Want => ({
  read: "range",
  table: "connections",
  where: { databaseId },
  after: null,
  limit: null,
  newestFirst: false,
});

/**
 * Returns what a request probably reads, so that it is loaded at once: the rows that its token depends on, and those that its
 * path names.
 */
export const wantsOf = (
  token: VerifiedToken | undefined,
  { operation, parameters }: Route,
  search: string,
): Want[] => {
  if (token === undefined) return [];
  const named = Object.entries(operation.pathKinds).flatMap(([name, kind]) => {
    const id = parameters[name];
    return id === undefined || id === null ? [] : wantsOfPath(kind, canonicalId(kind, id));
  });
  return [
    ...wantsOfToken(token),
    ...named,
    ...wantsOfShown(operation.id, parameters),
    ...wantsOfCreation(operation.id, parameters),
    ...wantsOfList(operation.id, token.principal, search),
  ];
};

/** The operations that return the database of their path. */
const showingDatabase: ReadonlySet<OperationId> = new Set<OperationId>(["databases.get", "databases.update"]);

/** A database is shown with its project. */
const wantsOfShown = (operationId: OperationId, { databaseId }: Route["parameters"]): Want[] => {
  if (!showingDatabase.has(operationId) || !databaseId) return [];
  const id = canonicalId("database", databaseId);
  return [{ read: "referenced", table: "projects", by: { table: "databases", id, field: "projectId" } }];
};

/** A new database of a project is on its default branch. */
const wantsOfCreation = (operationId: OperationId, { projectId }: Route["parameters"]): Want[] =>
  operationId === "projects.databases.create" && projectId
    ? [
        {
          read: "range",
          table: "branches",
          where: { projectId: canonicalId("project", projectId), isDefault: true },
          after: null,
          limit: 1,
          newestFirst: false,
        },
      ]
    : [];

/** The lists of all rows of a workspace. */
const listed: Readonly<Partial<Record<OperationId, string>>> = {
  "projects.list": "projects",
  "databases.list": "databases",
  "apps.list": "apps",
  "services.list": "apps",
};

/** Number of rows of a page whose request does not say it. */
const defaultLimit = 100;

/** Returns the first page of a list without filters, and the row after it, which tells whether there are more pages. */
const wantsOfList = (operationId: OperationId, { workspaceId }: Principal, search: string): Want[] => {
  const table = listed[operationId];
  const { limit = String(defaultLimit), ...filters } = Object.fromEntries(new URLSearchParams(search));
  if (table === undefined || Object.keys(filters).length > 0 || !/^[1-9]\d{0,2}$/.test(limit)) return [];
  const where = { workspaceId };
  return [{ read: "range", table, where, after: null, limit: Number(limit) + 1, newestFirst: false }];
};

const wantsOfToken = ({ principal, grantId }: VerifiedToken): Want[] => {
  const { workspaceId, integrationId, tokenId } = principal;
  return [
    rowWant("workspace", workspaceId),
    { read: "row", table: "revokedTokens", id: tokenId },
    ownerOf(principal),
    ...(grantId === null ? [] : [{ read: "row", table: "grants", id: grantId } as const]),
    ...(integrationId === null ? [] : [rowWant("integration", integrationId)]),
  ];
};

const ownerOf = (principal: Principal): Want => {
  switch (principal.kind) {
    case "service":
      return rowWant("service_token", principal.serviceTokenId);
    case "user":
      return rowWant("user", principal.userId);
    case "agent":
      return rowWant("user", principal.sponsorId);
  }
};

/** A database is shown with its connections. */
const wantsOfPath = (kind: Kind, id: string): Want[] =>
  kind === "database" ? [rowWant(kind, id), connectionsWant(id)] : [rowWant(kind, id)];
