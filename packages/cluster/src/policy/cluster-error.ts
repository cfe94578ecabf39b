import { escapeIdentifier } from "pg";

export type ClusterErrorCode =
  | "cluster:databases_unrecorded"
  | "cluster:lacks_privileges"
  | "cluster:other_installation"
  | "cluster:records_incomplete"
  | "cluster:records_open"
  | "cluster:records_outdated"
  | "cluster:session_unresponsive"
  | "cluster:stamp_unknown";

/** Reports why a cluster, or a database of it, cannot be used. `message` describes the problem, and `hint` how to fix it. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";

  constructor(
    readonly code: ClusterErrorCode,
    message: string,
    readonly hint: string,
    /** Whether `acceptRecords` turns the error off. */
    readonly canAccept = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Builds every error about a cluster. */
export const clusterErrors = {
  databasesUnrecorded: (names: readonly string[], total: number) =>
    new ClusterError(
      "cluster:databases_unrecorded",
      `The records do not contain ${String(names.length)} of the ${String(total)} databases and backups that this installation has in Postgres: ` +
        names.join(", "),
      "Nothing was changed. Restore the latest records, or correct where they are. To give databases up, drop them in Postgres, and start again.",
      true,
    ),

  /** @param missing the privileges, and the statements that grant them. */
  roleLacksPrivileges: (
    role: string,
    missing: readonly { problem: string; statement: string }[],
    cause?: unknown,
  ) =>
    new ClusterError(
      "cluster:lacks_privileges",
      `The Postgres role ${role} does not have these privileges: ${missing.map(({ problem }) => problem).join(", ")}`,
      `Let an administrator of the Postgres server run: ${missing.map(({ statement }) => statement).join("; ")}`,
      false,
      { cause },
    ),

  otherInstallation: (user: string, otherRoles: readonly string[]) =>
    new ClusterError(
      "cluster:other_installation",
      `The Postgres role ${user} has made the databases of another installation (${otherRoles.join(", ")}), and these records are new or empty`,
      "Nothing was changed. Correct the database and the schema of the records, or restore them. " +
        "Another installation on the same cluster needs a login role of its own.",
    ),

  recordsOfAnotherCluster: (location: string, role: string) =>
    new ClusterError(
      "cluster:records_outdated",
      `The records in ${location} have been used before, but this Postgres does not have their role ${role}`,
      "Nothing was changed. Correct the address of Postgres, or restore the whole cluster.",
    ),

  recordsMoved: (
    location: string,
    { previousLocation, acceptStatement }: { previousLocation: string; acceptStatement: string },
  ) =>
    new ClusterError(
      "cluster:records_outdated",
      `The last start of this installation used the records in ${previousLocation}, not those in ${location}`,
      `Nothing was changed. Correct where the records are. If you have moved them, run: ${acceptStatement}`,
      true,
    ),

  recordsOutdated: (
    location: string,
    {
      starts,
      startsOfCluster,
      acceptStatement,
    }: { starts: number; startsOfCluster: number; acceptStatement: string },
  ) =>
    new ClusterError(
      "cluster:records_outdated",
      `The records in ${location} are older than the databases: they have seen ${String(starts)} starts, and Postgres ${String(startsOfCluster)}`,
      "Nothing was changed. Restore the latest records. To continue with these, without what has changed since, " +
        `run: ${acceptStatement}`,
      true,
    ),

  stampUnknown: (role: string, comment: string) =>
    new ClusterError(
      "cluster:stamp_unknown",
      `The comment of the Postgres role ${role} does not say in a known format which records this installation uses: ${comment}`,
      "Nothing was changed. Use the version of this program that made the last start. If something else has changed the comment, restore it.",
    ),

  recordsOpen: (database: string) =>
    new ClusterError(
      "cluster:records_open",
      `Every Postgres role has privileges on the database of the records, ${database}`,
      `Run: REVOKE ALL ON DATABASE ${escapeIdentifier(database)} FROM PUBLIC. Choose a database that nothing else uses.`,
    ),

  sessionUnresponsive: (database: string) =>
    new ClusterError(
      "cluster:session_unresponsive",
      `The database ${database} cannot be copied, because Postgres cannot interrupt a statement of one of its sessions`,
      "Try again when the statement has ended. To end it at once, rotate the connection that runs it.",
    ),

  recordsIncomplete: (schema: string) =>
    new ClusterError(
      "cluster:records_incomplete",
      `The records in the schema ${schema} do not say which installation they belong to`,
      "Nothing was changed. Restore the records from a backup, or choose a new schema for a new installation.",
    ),
};
