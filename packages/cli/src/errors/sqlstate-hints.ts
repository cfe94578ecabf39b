/** Returns whether a code indicates that the object to create exists already. */
export const isDuplicateObject = (sqlState: string | undefined): boolean =>
  sqlState !== undefined && ["42P04", "42P06", "42P07", "42710", "42723"].includes(sqlState);

/** Returns the hint for a code of the server, or undefined if the message itself has it. */
export const findSqlStateHint = (sqlState: string | undefined, stderr: string): string | undefined => {
  const connectionHint = connectionHints.find(([pattern]) => pattern.test(stderr));
  if (connectionHint || sqlState === undefined) return connectionHint?.[1];
  return hintBySqlState[sqlState] ?? hintBySqlState[sqlState.slice(0, 2)];
};

/** Failures of a connection, which have no code of their own. */
const connectionHints: readonly (readonly [RegExp, string])[] = [
  [
    /does not support SSL/,
    "The server has no TLS. If the network to it is safe, put sslmode=disable into the connection string.",
  ],
  [
    /certificate verify failed|root certificate file .* does not exist|does not match host name/,
    "Set PGSSLROOTCERT to a file with the server's authority, or to system, and check the host name.",
  ],
  [
    /could not translate host name/,
    "Check the host name, and that this machine is in the right network or VPN.",
  ],
  [
    /Network is unreachable|No route to host/,
    "This machine has no route to the server, which may have only an IPv6 address. Use another address of the server, such as the address of its pooler in session mode.",
  ],
  [
    /unsupported startup parameter|unsupported options startup parameter/,
    "This is a pooler. Use the direct connection string of the database.",
  ],
  [
    /channel binding is required/,
    "A pooler or proxy in between cannot do channel binding. Use the direct connection string, or remove channel_binding.",
  ],
];

/** By code, or by its first two characters, which are its class. */
const hintBySqlState: Readonly<Record<string, string>> = {
  "08": "The connection was lost, or could not be made. Check that the server runs and can be reached, and run the command again.",
  "0A000":
    "If the message names an extension, this server does not have it. Leave it out of the dump, or install it on the server.",
  "23": "The rows conflict with a constraint or with rows that the database has.",
  "28000":
    "The server does not accept this user from this machine, or only with TLS. Check the user, and sslmode.",
  "28P01":
    "Check the user and the password. In a URI, special characters of the password are percent-encoded: @ as %40, % as %25.",
  "3D000": "Check the name of the database in the connection string.",
  "42501":
    "The database user may not do this. Owners, roles and languages of another server often need rights that it does not have.",
  "42704":
    "The server does not have something that is named: a role (make the dump with --no-owner --no-privileges, as mgmt db dump does), a type of an " +
    "extension, or a setting of a newer version.",
  "53100": "The server has no space left.",
  "53200":
    "The server has no memory or lock left for this. One transaction can lock only a limited number of tables and partitions: use several.",
  "53300": "The database has all the connections that it may have. End some, or wait.",
  "57014":
    "A time limit of the user or the server ended the statement: look at statement_timeout and lock_timeout.",
  "57P01":
    "The server ended the session. It was stopped, somebody ended the session, or the database used more than it may, such as the locks of " +
    "thousands of partitions in one transaction: mgmt dev then refuses its connections for a minute. Use several transactions.",
  "57P02": "Another session has crashed the server. Run the command again when it is back.",
  "57P03": "The server is starting or stopping. Run the command again in a moment.",
};
