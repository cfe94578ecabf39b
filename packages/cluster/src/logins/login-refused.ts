/** Thrown for a login that its database does not accept now. */
export class LoginRefused extends Error {
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

/** Builds every refusal of a login. */
export const loginRefusals = {
  tooManyConnections: (database: string, limit: number) =>
    new LoginRefused(
      "53300",
      `too many connections for database "${database}"`,
      `The limit is ${String(limit)} connections per database. Close connections that are no longer needed, or use a ` +
        "connection pool with fewer connections.",
    ),
  creating: (database: string) =>
    new LoginRefused(
      cannotConnectNow,
      `the database "${database}" is still being created`,
      'Try again when its status is "ready", which the API shows.',
    ),
  copying: (database: string) =>
    new LoginRefused(
      cannotConnectNow,
      `the database "${database}" is being copied or restored`,
      "Try again in a few seconds.",
    ),
  notCreated: (database: string) =>
    new LoginRefused(
      "3D000",
      `the database "${database}" was not created`,
      "It may have been deleted. If the API shows it as failed, read the log of the platform, delete it, and create another one.",
    ),
};
