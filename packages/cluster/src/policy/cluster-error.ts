export type ClusterErrorCode = "cluster:lacks_privileges" | "cluster:records_incomplete";

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
