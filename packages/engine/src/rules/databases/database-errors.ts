import { RequestError } from "../../values/request-error.js";

/** Builds the errors of databases. */
export const databaseErrors = {
  invalidUsageRange: (message: string) =>
    new RequestError(400, "usage:invalid_range", message, "Set a startDate that is before the endDate"),
  busy: (status: string) =>
    new RequestError(
      409,
      "database:busy",
      `The database is ${status} and cannot be restored now`,
      "Wait until its status is ready or failure, and send the request again",
    ),
  defaultProtected: () =>
    new RequestError(
      403,
      "database:default_protected",
      "The default database of a project cannot be deleted",
      "Delete the project, or make another database the default first",
    ),
  logicalIdConflict: (logicalId: string) =>
    new RequestError(
      409,
      "database:logical_id_conflict",
      `Another database on the branch has the logicalId ${logicalId}`,
      "Choose another logicalId, or use the existing database",
    ),
  /** @param path JSON pointer of the field in the body that names the database. */
  sourceNotReady: (status: string, path: string) =>
    new RequestError(
      422,
      "database:source_not_ready",
      `The source database is not ready: its status is ${status}`,
      "Wait until the status of the source database is ready",
      { issues: [{ path, message: "names a database that is not ready" }] },
    ),
  /** @param path JSON pointer of the field in the body that names the backup. */
  backupUnusable: (status: string, path: string) =>
    new RequestError(
      422,
      "backup:unusable",
      `The backup cannot be used: its status is ${status}`,
      "Choose a backup whose status is completed",
      { issues: [{ path, message: "names a backup that is not completed" }] },
    ),
} as const;
