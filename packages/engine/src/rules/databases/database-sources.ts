import type { OperationCall } from "../../context/operation-handler.js";
import { errors } from "../../values/errors.js";
import { requireAccess } from "../../request/resource-access.js";
import type { DatabaseRow, DatabaseSource } from "../../store/rows.js";
import { hasPendingDeletion } from "./pending-copies.js";

/** The fields of a request that specify which data a new database starts with. */
export interface SourceFields {
  source?: DatabaseSource | undefined;
  /** The former name of `source`: a backup with `backupId`, otherwise a clone. */
  fromDatabase?: { id: string; backupId?: string | undefined } | undefined;
}

/**
 * Returns the source of a new database; an empty database by default.
 *
 * @throws RequestError 422 `validation:failed` when both `source` and `fromDatabase` are given.
 */
export const resolveSource = ({ source, fromDatabase }: SourceFields): DatabaseSource => {
  if (source !== undefined && fromDatabase !== undefined) {
    throw errors.validationFailed([{ path: "/fromDatabase", message: "cannot be combined with source" }]);
  }
  if (fromDatabase === undefined) return source ?? { type: "empty" };
  const { id: databaseId, backupId } = fromDatabase;
  return backupId === undefined ? { type: "database", databaseId } : { type: "backup", databaseId, backupId };
};

/**
 * Rejects a source that cannot be used. Any database that the caller can reach is allowed, even in another project.
 */
export const assertUsableSource = (call: OperationCall, fields: SourceFields): void => {
  const source = resolveSource(fields);
  if (source.type === "empty") return;
  const path = fields.fromDatabase === undefined ? "/source" : "/fromDatabase";
  if (source.type === "backup") {
    assertUsableBackup(call, source, path);
    return;
  }
  const { status } = requireSourceDatabase(call, source.databaseId);
  if (status !== "ready") {
    const field = fields.fromDatabase === undefined ? "databaseId" : "id";
    throw errors["database:source_not_ready"](
      { status },
      { issues: [{ path: `${path}/${field}`, message: "names a database that is not ready" }] },
    );
  }
};

/**
 * Returns the database that a new one is copied from.
 *
 * @throws RequestError 404 `database:not_found`, also for a database that is being deleted, because the copy could only be made after the
 *   deletion.
 */
const requireSourceDatabase = (call: OperationCall, databaseId: string): DatabaseRow => {
  const database = requireAccess(call, "database", databaseId);
  if (hasPendingDeletion(database)) throw errors.notFound("database");
  return database;
};

/**
 * Requires a completed backup of the given database, which may have any status.
 *
 * @param path JSON pointer of the field in the body that names the database and the backup.
 */
export const assertUsableBackup = (
  call: OperationCall,
  { databaseId, backupId }: { databaseId: string; backupId: string },
  path: string,
): void => {
  requireSourceDatabase(call, databaseId);
  const backup = call.context.store.backups.get(backupId);
  if (backup?.databaseId !== databaseId) throw errors.notFound("backup");
  if (backup.status !== "completed")
    throw errors["backup:unusable"](backup, {
      issues: [{ path: `${path}/backupId`, message: "names a backup that is not completed" }],
    });
};
