import type { Want } from "../store/want.js";
import type { VerifiedToken } from "../world/authenticator.js";
import type { AnyBehavior, RoutedRequest } from "../world/behavior.js";
import { type Kind, canonicalId } from "../values/ids.js";
import type { Principal } from "../values/principal.js";
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
 * Returns what a request probably reads, so that it is loaded at once: the rows that its token depends on, those that its path
 * names, and what its behavior wants.
 */
export const wantsOf = (
  token: VerifiedToken | undefined,
  { operation, parameters }: Route,
  search: string,
  { wants }: Pick<AnyBehavior, "wants">,
): Want[] => {
  if (token === undefined) return [];
  const named = Object.entries(operation.pathKinds).flatMap(([name, kind]) => {
    const id = parameters[name];
    return id === undefined || id === null ? [] : [{ name, kind, id: canonicalId(kind, id) }];
  });
  const path = Object.fromEntries(named.map(({ name, id }) => [name, id]));
  return [
    ...wantsOfToken(token),
    ...named.flatMap(({ kind, id }) => wantsOfPath(kind, id)),
    ...(wants?.({ principal: token.principal, path, search }) ?? []),
  ];
};

/** Number of rows of a page whose request does not say it. */
const defaultLimit = 100;

/**
 * Returns the wants of a list of all rows of a workspace: the first page if there are no filters, and the row after it, which tells
 * whether there are more pages.
 */
export const firstPageOf =
  (table: string) =>
  ({ principal: { workspaceId }, search }: RoutedRequest): Want[] => {
    const { limit = String(defaultLimit), ...filters } = Object.fromEntries(new URLSearchParams(search));
    if (Object.keys(filters).length > 0 || !/^[1-9]\d{0,2}$/.test(limit)) return [];
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
