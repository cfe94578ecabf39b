import { type AdminConnection, quoteIdentifier, quoteLiteral } from "../connection/admin-connection.js";
import { type RunOrReport, dropOrReport } from "../connection/run-or-report.js";
import type { DatabaseCopier } from "../databases/database-copier.js";
import { getLastPart, toBackupName, toDatabaseName } from "../policy/names.js";

/** How long a database that is not in the records is retained, in days. */
const retentionDays = 7;

/** A database in the records, with its backups. */
export interface RecordedDatabase {
  databaseId: string;
  /** Ids of completed backups. */
  backupIds: readonly string[];
  /** Ids of backups that are being made, which may be complete in Postgres already. */
  runningBackupIds?: readonly string[];
}

/** Returns the names in Postgres of the databases and backups in the records, except backups that have failed. */
export const listRecordedNames = (recordedDatabases: readonly RecordedDatabase[]): string[] =>
  recordedDatabases.flatMap(({ databaseId, backupIds, runningBackupIds = [] }) => [
    toDatabaseName(databaseId),
    ...[...backupIds, ...runningBackupIds].map((backupId) => toBackupName(databaseId, backupId)),
  ]);

/**
 * Databases and backups of the installation that are not in its records. They are retained for some days, because the records may be wrong:
 * no one can connect to them, and their names have a date. A start with records that contain them makes them available again.
 */
export class RetainedDatabases {
  readonly #admin: AdminConnection;
  readonly #copier: DatabaseCopier;

  constructor(admin: AdminConnection, copier: DatabaseCopier) {
    this.#admin = admin;
    this.#copier = copier;
  }

  /** Closes and renames a database. Returns its new name. */
  async retain(name: string): Promise<string> {
    const retainedName = this.#admin.cluster.installation.toRetainedName(name, await this.#readDate());
    await this.#admin.runScriptAsOwner(name, [
      `alter database ${quoteIdentifier(name)} allow_connections false`,
    ]);
    await this.#rename(name, retainedName);
    return retainedName;
  }

  /** Restores the name of a retained database. It stays closed. */
  async restore(retainedName: string, name: string): Promise<void> {
    await this.#rename(retainedName, name);
  }

  /**
   * Drops databases whose retention has expired, by the clock of Postgres, unless the records contain them again. Returns the names of the others.
   */
  async dropExpired(
    runOrReport: RunOrReport,
    recordedDatabases: readonly RecordedDatabase[],
  ): Promise<string[]> {
    const recordedParts = new Set(listRecordedNames(recordedDatabases).map(getLastPart));
    const { retainedNamePrefix, platformDatabaseCondition } = this.#admin.cluster.installation;
    const databases = await this.#admin.query<{ name: string; isExpired: boolean }>(
      `select datname as name, split_part(datname, '.', 3)
          < to_char(now() at time zone 'UTC' - interval '${String(retentionDays)} days', 'YYYYMMDD') as "isExpired"
        from pg_database d where starts_with(datname, ${quoteLiteral(retainedNamePrefix)}) and ${platformDatabaseCondition}`,
    );
    const remainingNames: string[] = [];
    for (const { name, isExpired } of databases) {
      const canDrop = isExpired && !recordedParts.has(getLastPart(name));
      const isDropped = canDrop && (await dropOrReport(runOrReport, this.#copier, name));
      if (!isDropped) remainingNames.push(name);
    }
    return remainingNames;
  }

  async #rename(from: string, to: string): Promise<void> {
    await this.#admin.runWhenUnused(from, () =>
      this.#admin.runScriptAsOwner(from, [
        `alter database ${quoteIdentifier(from)} rename to ${quoteIdentifier(to)}`,
      ]),
    );
  }

  /** Returns the date of Postgres as in names. */
  async #readDate(): Promise<string> {
    const [row] = await this.#admin.query<{ date: string }>(
      "select to_char(now() at time zone 'UTC', 'YYYYMMDD') as date",
    );
    if (row === undefined) throw new Error("Postgres did not return a row");
    return row.date;
  }
}

/** Returns the message for the operator about a database that is retained from now on. */
export const formatRetainedMessage = (name: string, retainedName: string): string =>
  `The Postgres database ${name} is not in the records. Nobody can connect to it. It is kept as ${retainedName} for ${String(retentionDays)} days, and a ` +
  "start with records that contain it makes it available again";
