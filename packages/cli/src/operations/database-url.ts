import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../context.js";
import { noCredentials, severalDatabases } from "../errors/database-errors.js";
import { missingInput } from "../errors/usage-errors.js";
import { whyNotAsked } from "../input/ask.js";
import { assertPathId } from "../input/ids.js";
import { takeDefault } from "../profiles/defaults.js";
import { idOf } from "../names/id-of.js";
import { connect } from "../service/connect.js";
import { isLoopbackHostname } from "../service/sdk.js";

/** How to connect to a database. */
export interface DatabaseAccess {
  readonly databaseId: string;
  /** Host name without a port. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** `disable` on this machine, where the certificate is one that no client trusts and nothing leaves the machine. */
  readonly sslMode: "disable" | "require";
  /** The connection string with all of it. */
  readonly url: string;
}

/**
 * Returns how to connect to a database with the credentials of its first connection.
 *
 * @param database Id or name. Default: the default database of the project that commands use.
 * @throws `usage:missing`, `name:not_found`, `name:ambiguous`, `database:several`, `database:no_credentials`, and errors of the
 *   service.
 */
export const databaseAccess = async (
  database: string | undefined,
  flags: GlobalFlags,
  context: Context,
): Promise<DatabaseAccess> => {
  if (database !== undefined) assertPathId("<database-id>", database);
  const client = await connect(flags, context);
  const id =
    database === undefined
      ? await defaultDatabase(client, flags, context)
      : await idOf("database", database, client, flags, context);
  return accessTo(id, client, context);
};

/**
 * Returns how to connect to a database with the credentials of its first connection. Throws `database:no_credentials`, and
 * errors of the service.
 */
export const accessTo = async (
  id: string,
  client: MgmtClient,
  { signal }: Pick<Context, "signal">,
): Promise<DatabaseAccess> => {
  const connections = await client.databases.connections.list(id, undefined, { signal }).toArray();
  const direct = connections.find(({ directConnection }) => directConnection)?.directConnection;
  if (!direct) throw noCredentials(id);
  // The host carries the port unless it is 5432.
  const { hostname: host, port } = new URL(`postgres://${direct.host}`);
  const { user, pass: password } = direct;
  const sslMode = isLoopbackHostname(host) ? "disable" : "require";
  return {
    databaseId: id,
    host: host.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || "5432"),
    user,
    password,
    sslMode,
    url: `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${direct.host}/postgres?sslmode=${sslMode}`,
  };
};

/** Returns the default database of the project that commands use. Asks on a terminal if there is none. */
const defaultDatabase = async (client: MgmtClient, flags: GlobalFlags, context: Context): Promise<string> => {
  const projectId = takeDefault("projectId", flags, context)?.value;
  const reason = whyNotAsked(context);
  if (projectId === undefined) {
    if (reason === undefined) return askForDatabase(client, flags, context);
    throw missingInput(
      "There is no default project whose database could be used",
      `The command did not ask, because ${reason}. Pass the id or name of a database, or set a default project: mgmt link --project-id ID`,
    );
  }
  const databases = await client.projects.databases
    .list(projectId, undefined, { signal: context.signal })
    .toArray();
  const found =
    databases.find(({ isDefault }) => isDefault) ?? (databases.length === 1 ? databases[0] : undefined);
  if (found) return found.id;
  if (databases.length > 0 && reason === undefined) return askForDatabase(client, flags, context);
  throw severalDatabases(
    projectId,
    databases.map(({ id }) => id),
  );
};

const askForDatabase = async (client: MgmtClient, flags: GlobalFlags, context: Context): Promise<string> => {
  const { chooseResource } = await import("./choose-resource.js");
  return chooseResource("database", "Database", { client, known: {}, flags, context });
};
