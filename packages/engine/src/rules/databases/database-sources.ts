import type { Call } from "../../request/behavior.js";
import { errors } from "../../request/errors.js";
import { reach } from "../../request/reach.js";
import type { DatabaseSource } from "../../store/rows.js";

export interface SourceFields {
  source?: DatabaseSource | undefined;
  /** The old form of `source`: with `backupId` a backup, without it a clone. */
  fromDatabase?: { id: string; backupId?: string | undefined } | undefined;
}

/** `source` and `fromDatabase` at once are a 422; neither is an empty database. */
export const readSource = ({ source, fromDatabase }: SourceFields): DatabaseSource => {
  if (source !== undefined && fromDatabase !== undefined) {
    throw errors.validationFailed([{ path: "/fromDatabase", message: "cannot be combined with source" }]);
  }
  if (fromDatabase === undefined) return source ?? { type: "empty" };
  const { id: databaseId, backupId } = fromDatabase;
  return backupId === undefined ? { type: "database", databaseId } : { type: "backup", databaseId, backupId };
};

/** A source may be any database that the caller reaches, of another project too. */
export const refuseUnusableSource = (call: Call, fields: SourceFields): void => {
  const source = readSource(fields);
  if (source.type === "empty") return;
  const path = fields.fromDatabase === undefined ? "/source" : "/fromDatabase";
  if (source.type === "backup") {
    refuseUnusableBackup(call, source, path);
    return;
  }
  const { status } = reach(call, "database", source.databaseId);
  if (status !== "ready") {
    const field = fields.fromDatabase === undefined ? "databaseId" : "id";
    throw errors.databaseSourceNotReady(status, `${path}/${field}`);
  }
};

/**
 * The backup must be the database's own, and completed. The database itself may be in any state. `path` points at the
 * part of the body that names them.
 */
export const refuseUnusableBackup = (
  call: Call,
  { databaseId, backupId }: { databaseId: string; backupId: string },
  path: string,
): void => {
  reach(call, "database", databaseId);
  const backup = call.world.store.backups.get(backupId);
  if (backup?.databaseId !== databaseId) throw errors.notFound("backup");
  if (backup.status !== "completed") throw errors.backupUnusable(backup.status, `${path}/backupId`);
};
