/** Thrown for a login that its database does not accept now. */
export class LoginRejectedError extends Error {
  /** @param code an SQLSTATE ([error codes](https://www.postgresql.org/docs/current/errcodes-appendix.html)). */
  constructor(
    readonly code: string,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** The SQLSTATE `cannot_connect_now`, which Postgres uses while it starts, recovers or shuts down. */
export const cannotConnectNow = "57P03";

/** The SQLSTATE `admin_shutdown`, of a session that was terminated by another one. */
export const adminShutdown = "57P01";

/** The SQLSTATE `too_many_connections`. */
export const tooManyConnections = "53300";

/** SQLSTATE of a login to a database that accepts no connections (`object_not_in_prerequisite_state`). */
export const databaseClosed = "55000";

/** The SQLSTATE `configuration_limit_exceeded`. */
const configurationLimitExceeded = "53400";

/** Builds every rejection of a login. */
export const loginRejections = {
  tooManyConnections: (database: string, limit: number) =>
    new LoginRejectedError(
      tooManyConnections,
      `too many connections for database "${database}"`,
      `The limit is ${String(limit)} connections per database. Close connections that are no longer needed, or use a ` +
        "connection pool with fewer connections.",
    ),
  creating: (database: string) =>
    new LoginRejectedError(
      cannotConnectNow,
      `the database "${database}" is still being created`,
      'Try again when its status is "ready", which the API shows.',
    ),
  closed: (database: string) =>
    new LoginRejectedError(
      cannotConnectNow,
      `the database "${database}" is being copied or restored`,
      "Try again in a few seconds.",
    ),
  notCreated: (database: string) =>
    new LoginRejectedError(
      "3D000",
      `the database "${database}" was not created`,
      "It may have been deleted. If the API shows it as failed, read the log of the platform, delete it, and create another one.",
    ),
};

/** Builds every reason for which the platform terminates sessions. */
export const terminationErrors = {
  copied: (database: string) =>
    new LoginRejectedError(
      adminShutdown,
      `the session was ended, because the database "${database}" is copied or restored`,
      "Connect again. The new connection waits until that is done.",
    ),
  tooManyLocks: (database: string, { maxLocks, closedMs }: { maxLocks: number; closedMs: number }) =>
    new LoginRejectedError(
      configurationLimitExceeded,
      `the database "${database}" held too many locks, so its sessions were ended`,
      "A transaction holds a lock for each table, partition, index, and large object that it uses. All databases together can hold " +
        `${String(maxLocks)}: use several transactions, for example pg_restore without --single-transaction. The database accepts ` +
        `connections again after ${String(Math.ceil(closedMs / 1_000))} seconds.`,
    ),
  sharedCatalogsFull: (
    database: string,
    { maxSharedCatalogBytes, closedMs }: { maxSharedCatalogBytes: number; closedMs: number },
  ) =>
    new LoginRejectedError(
      configurationLimitExceeded,
      `the database "${database}" has filled catalogs that all databases share, so its sessions were ended`,
      "Comments on databases, settings of databases and roles, and passwords are stored together for all databases. A workspace can " +
        `have, and write in a minute, ${String(Math.ceil(maxSharedCatalogBytes / 1024 ** 2))} MiB of them. The database accepts ` +
        `connections again after ${String(Math.ceil(closedMs / 1_000))} seconds.`,
    ),
  tooLarge: (database: string) =>
    new LoginRejectedError(
      configurationLimitExceeded,
      `the database "${database}" uses too much memory, and accepts no connections`,
      "Restore a backup or delete it. For more data, start mgmt dev with a data directory on a disk.",
    ),
  tooManyConnectionsInTotal: (database: string, limit: number) =>
    new LoginRejectedError(
      tooManyConnections,
      `too many connections for database "${database}", while all databases together have too many`,
      `At the moment, the limit is ${String(limit)} connections per database. Close connections that are no longer needed.`,
    ),
  unresponsive: (database: string) =>
    new LoginRejectedError(
      cannotConnectNow,
      `the database "${database}" is closed, because a statement of one of its sessions cannot be interrupted`,
      "It accepts connections again when that statement has ended. The operator of Postgres can kill its process.",
    ),
  killed: (database: string, closedMs: number) =>
    new LoginRejectedError(
      cannotConnectNow,
      `the database "${database}" is closed for a while, because a session of it had to be killed`,
      "Postgres could not interrupt a statement of the session, and restarted for all databases. The database accepts connections again " +
        `after ${String(Math.ceil(closedMs / 60_000))} minutes.`,
    ),
  slowListener: (database: string) =>
    new LoginRejectedError(
      configurationLimitExceeded,
      `the session was ended, because the notification queue of all databases filled while it did not read`,
      `End transactions soon in sessions of the database "${database}" that use LISTEN, and read what they receive.`,
    ),
};
