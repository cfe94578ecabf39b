import type { Connection, ConnectionFormat, MgmtClient, Database } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import {
  noCredentialsError,
  noPoolerError,
  unknownRoleError,
  noSingleDatabaseError,
} from "../errors/database-errors.js";
import { ambiguousNameError } from "../errors/name-errors.js";
import { unexpectedResponseError } from "../errors/response-errors.js";
import { missingInputError } from "../errors/usage-errors.js";
import { getNonInteractiveReason } from "../input/ask.js";
import { assertPathId } from "../input/ids.js";
import { resolveAndAnnounceDefault } from "../profiles/defaults.js";
import { resolveIdOrName } from "../run/names/resolve-id-or-name.js";
import type { ConnectionSettings } from "./connection-settings.js";
import { maskInLog } from "../secrets/log-masks.js";
import { connect } from "../service/connect.js";
import { connectionString, InvalidArgumentError } from "../sdk/sdk.js";

/** How to connect to a database. */
export interface DatabaseAccess extends ConnectionSettings {
  readonly databaseId: string;
  /** The connection whose credentials these are. */
  readonly connectionId: string;
  /** The connection string with all of it. */
  readonly url: string;
  /** Returns the connection string in one of its forms. */
  readonly formatAs: (format: ConnectionFormat) => string;
}

/** Which of the ways to connect to a database to use. */
export interface AccessOptions {
  /** Whether to connect through the connection pooler. Default: false. */
  readonly pooled?: boolean | undefined;
  /** The id, the name or the user of a connection. Default: the first whose password can be read. */
  readonly role?: string | undefined;
  /** The flag that names the database. Default: an argument does. */
  readonly flag?: string;
}

/**
 * Returns how to connect to a database with the credentials of one of its connections.
 *
 * @param databaseIdOrName default: the default database of the project that commands use.
 * @throws `usage:missing`, `name:not_found`, `name:ambiguous`, `database:several`, errors of `fetchDatabaseAccess`, and errors of the
 *   service.
 */
export const resolveDatabaseAccess = async (
  databaseIdOrName: string | undefined,
  flags: GlobalFlags,
  context: Context,
  accessOptions: AccessOptions = {},
): Promise<DatabaseAccess> => {
  const { client, databaseId } = await resolveDatabase(databaseIdOrName, flags, context, accessOptions.flag);
  return fetchDatabaseAccess(databaseId, client, context, accessOptions);
};

/**
 * Returns the id of a database, by its id or name or as the default one, and the client that found it.
 *
 * @param flag the flag that names the database. Default: an argument names it.
 */
export const resolveDatabase = async (
  databaseIdOrName: string | undefined,
  flags: GlobalFlags,
  context: Context,
  flag?: string,
): Promise<{ client: MgmtClient; databaseId: string }> => {
  if (databaseIdOrName !== undefined) assertPathId("<database-id>", databaseIdOrName);
  const client = await connect(flags, context);
  const databaseId =
    databaseIdOrName === undefined
      ? await resolveDefaultDatabase(client, flags, context, flag)
      : await resolveIdOrName("database", databaseIdOrName, client, flags, context);
  return { client, databaseId };
};

/**
 * Returns how to connect to a database with the credentials of one of its connections, which CI hides in its log from then on if it
 * can.
 *
 * @throws `database:no_credentials` if no password can be read; `database:no_pooler`; `name:not_found` and `name:ambiguous` for the
 *   role; and errors of the service.
 */
export const fetchDatabaseAccess = async (
  id: string,
  client: MgmtClient,
  context: Pick<Context, "env" | "output" | "signal">,
  accessOptions: AccessOptions = {},
): Promise<DatabaseAccess> => {
  const { signal } = context;
  const allConnections = await client.databases.connections.list(id, undefined, { signal }).toArray();
  const { role } = accessOptions;
  const connections = role === undefined ? allConnections : filterByRole(allConnections, role);
  if (role !== undefined && connections.length === 0) throw unknownRoleError(id, role, allConnections);
  const readableConnections = connections.filter(({ directConnection }) => directConnection);
  const [connection] = readableConnections;
  if (!connection) throw noCredentialsError(id, connections.length === 1 ? connections[0]?.id : undefined);
  if (role !== undefined && readableConnections.length > 1) {
    throw ambiguousNameError(
      "connection",
      role,
      readableConnections.map((connection) => ({
        id: connection.id,
        label: connection.directConnection?.user ?? "",
      })),
    );
  }
  return createDatabaseAccess(connection, id, accessOptions, context);
};

/**
 * Returns how to connect with a connection, whose password CI hides in its log from then on if it can. Throws
 * `database:no_credentials` and `database:no_pooler`.
 */
export const createDatabaseAccess = (
  { id: connectionId, directConnection, endpoints }: Connection,
  databaseId: string,
  { pooled: isPooled = false }: AccessOptions,
  context: Pick<Context, "env" | "output">,
): DatabaseAccess => {
  if (!directConnection) throw noCredentialsError(databaseId);
  if (isPooled && !endpoints.pooled) throw noPoolerError(databaseId);
  const { user, pass: password } = directConnection;
  const formatAs = (format?: ConnectionFormat): string =>
    connectionString({ directConnection, endpoints }, { pooled: isPooled, format });
  const url = buildUrl(formatAs);
  maskInLog([url, password], context);
  const { hostname, port, searchParams } = new URL(url);
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || "5432"),
    user,
    password,
    sslMode: searchParams.get("sslmode") === "disable" ? "disable" : "require",
    isPooled,
    databaseId,
    connectionId,
    url,
    formatAs,
  };
};

/** Returns the connection string. Throws `response:invalid` if the service returned a host that is none. */
const buildUrl = (build: () => string): string => {
  try {
    return build();
  } catch (error) {
    throw error instanceof InvalidArgumentError ? unexpectedResponseError("a connection with a host") : error;
  }
};

/** Returns the connections that a user calls by their id, name or user. An id wins over a user, which wins over a name. */
const filterByRole = (connections: readonly Connection[], role: string): Connection[] =>
  [
    connections.filter(({ id }) => id === role),
    connections.filter(({ directConnection }) => directConnection?.user === role),
    connections.filter(({ name }) => name === role),
  ].find((matches) => matches.length > 0) ?? [];

/** Returns the default database of the project that commands use. Asks on a terminal if there is none. */
const resolveDefaultDatabase = async (
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
  flag: string | undefined,
): Promise<string> => {
  const project = resolveAndAnnounceDefault("projectId", flags, context)?.value;
  const projectId =
    project === undefined ? undefined : await resolveIdOrName("project", project, client, flags, context);
  const reason = getNonInteractiveReason(context);
  if (projectId === undefined) {
    if (reason === undefined) return askForDatabase(client, flags, context, flag);
    throw missingInputError(
      "Missing the database: this folder has no default project",
      `The command did not ask, because ${reason}. Pass the id or name of a database, or set a default project: mgmt link --project-id ID`,
    );
  }
  const databases = await client.projects.databases
    .list(projectId, undefined, { signal: context.signal })
    .toArray();
  const needsChoice = databases.length > 0 && !findDefaultDatabase(databases);
  if (needsChoice && reason === undefined) return askForDatabase(client, flags, context, flag);
  return requireDefaultDatabase(projectId, databases).id;
};

const askForDatabase = async (
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
  flag: string | undefined,
): Promise<string> => {
  const { chooseResource } = await import("../run/names/choose-resource.js");
  const databaseId = await chooseResource("database", "Database", { client, knownIds: {}, flags, context });
  context.answers.push({ ...(flag !== undefined && { flag }), value: databaseId });
  return databaseId;
};

type DefaultCandidate = Pick<Database, "id" | "isDefault">;

/** Returns the database that commands use by default: the default database of the project, or else its only database. */
const findDefaultDatabase = <T extends DefaultCandidate>(databases: readonly T[]): T | undefined =>
  databases.find(({ isDefault }) => isDefault) ?? (databases.length === 1 ? databases[0] : undefined);

/** Returns the same database of a project. Throws `database:not_found` and `database:several`. */
export const requireDefaultDatabase = <T extends DefaultCandidate>(
  projectId: string,
  databases: readonly T[],
): T => {
  const database = findDefaultDatabase(databases);
  if (database) return database;
  throw noSingleDatabaseError(
    projectId,
    databases.map(({ id }) => id),
  );
};
