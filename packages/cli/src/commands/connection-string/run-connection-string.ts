import { hostname } from "node:os";
import type { ConnectionFormat, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { isNoCredentialsError } from "../../errors/database-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import {
  fetchDatabaseAccess,
  createDatabaseAccess,
  type DatabaseAccess,
  resolveDatabase,
} from "../../postgres/database-access.js";
import {
  assertHasDestination,
  formatWithSecrets,
  resolveSecretDestination,
} from "../../secrets/secret-destination.js";
import { type SecretFlags, setsCiVariable } from "../../secrets/secret-flags.js";
import { openSecretOutput } from "../../secrets/secret-output.js";
import { getAtPath } from "../../json/json-path.js";
import { secretMask } from "../../output/mask.js";

export interface ConnectionStringFlags extends SecretFlags {
  readonly pooled?: boolean;
  readonly format?: ConnectionFormat;
  /** The id, the name or the user of a connection. */
  readonly role?: string;
}

/** What `mgmt connection-string` prints. */
export interface ConnectionStringResult {
  readonly connectionString: string;
  readonly format: ConnectionFormat;
  readonly databaseId: string;
  readonly connectionId: string;
  /** Whether the command created the connection. */
  readonly created: boolean;
  /** Whether to return the connection string of the connection pooler. */
  readonly pooled: boolean;
  readonly host: string;
  readonly port: number;
  readonly user: string;
}

/** Prints how to connect to a database, with a password. Creates a connection, after asking, if no password can be read. */
export const runConnectionString = async (
  databaseIdOrName: string | undefined,
  { pooled, role, format = "uri", ...secretFlags }: ConnectionStringFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output } = context;
  const destination = resolveSecretDestination(secretFlags, context);
  assertHasDestination("The connection string", destination);
  if (format === "env" && setsCiVariable(secretFlags)) {
    throw usageError(
      "--format env cannot be combined with flags that set a variable",
      "Leave it out: the variable is set to the connection string itself.",
    );
  }
  output.format = formatWithSecrets(secretFlags, output.format);
  const secretOutput = await openSecretOutput(
    // An existing connection string is printed like a new one, because the user called the command for it.
    { issued: true, paths: ["connectionString"] },
    destination,
    context,
  );
  try {
    const { client, databaseId } = await resolveDatabase(databaseIdOrName, flags, context);
    const accessOptions = { pooled, role };
    let wasCreated = false;
    const access = await fetchDatabaseAccess(databaseId, client, context, accessOptions).catch(
      async (error: unknown) => {
        if (!isNoCredentialsError(error) || role !== undefined) throw error;
        const newAccess = await createAccessAfterConfirmation(
          databaseId,
          client,
          accessOptions,
          flags,
          context,
        );
        wasCreated = true;
        return newAccess;
      },
    );
    const { connectionId, isPooled, host, port, user } = access;
    const result: ConnectionStringResult = {
      connectionString: access.formatAs(format),
      format,
      databaseId,
      connectionId,
      created: wasCreated,
      pooled: isPooled,
      host,
      port,
      user,
    };
    await printConnectionString(await secretOutput.deliver(result), output);
  } finally {
    await secretOutput.close();
  }
};

/** Prints the connection string alone, or the whole result if the flags ask for it. Prints no masked connection string alone. */
const printConnectionString = async (printableResult: unknown, output: Context["output"]): Promise<void> => {
  const { fields, query } = output.presentation;
  const connectionString = getAtPath(printableResult, ["connectionString"]);
  if (output.format !== "table" || fields || query)
    await output.writeResult(printableResult, "ConnectionStringResult");
  else if (connectionString !== secretMask) output.writeExact(String(connectionString));
};

/** Creates a connection for this machine, after asking unless `--yes` was passed, and returns how to connect with it. */
const createAccessAfterConfirmation = async (
  databaseId: string,
  client: MgmtClient,
  accessOptions: { readonly pooled: boolean | undefined },
  flags: GlobalFlags,
  context: Context,
): Promise<DatabaseAccess> => {
  const { output, signal } = context;
  const name = `mgmt on ${hostname()}`;
  if (!flags.yes) {
    const { confirm } = await import("../../input/confirm.js");
    const action = `create the connection ${JSON.stringify(name)} of database ${databaseId}, because no password of it can be read`;
    await confirm(action, context);
  }
  const connection = await client.databases.connections.create(databaseId, { name }, { signal });
  const { id, user, pass, host } = connection;
  const message = `Created connection ${id} (${name}).`;
  output.notice({ code: "connection:created", message, connectionId: id });
  // The service may repeat the credentials in `directConnection` or not.
  const endpointCredentials = user !== null && pass !== null && host !== null ? { user, pass, host } : null;
  const directConnection = connection.directConnection ?? endpointCredentials;
  return createDatabaseAccess({ ...connection, directConnection }, databaseId, accessOptions, context);
};
