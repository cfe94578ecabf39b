export type ClusterErrorCode =
  | "cluster:databases_unrecorded"
  | "cluster:lacks_privileges"
  | "cluster:records_incomplete";

/** Reports why a cluster cannot be used. `message` describes the problem, and `hint` how to fix it. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";

  constructor(
    readonly code: ClusterErrorCode,
    message: string,
    readonly hint: string,
  ) {
    super(message);
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
    ),

  roleLacksPrivileges: (role: string, missing: readonly string[]) =>
    new ClusterError(
      "cluster:lacks_privileges",
      `The Postgres role ${role} does not have these privileges: ${missing.join(", ")}`,
      "Ask an administrator of the Postgres server to grant them with ALTER ROLE and GRANT.",
    ),

  recordsIncomplete: (schema: string) =>
    new ClusterError(
      "cluster:records_incomplete",
      `The records in the schema ${schema} do not say which installation they belong to`,
      "Nothing was changed. Restore the records from a backup, or choose a new schema for a new installation.",
    ),
};
