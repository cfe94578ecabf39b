import { type AdminConnection, quoteIdentifier, quoteLiteral } from "../connection/admin-connection.js";
import { type Attempt, attemptDrop } from "../connection/attempt.js";
import type { DatabaseCopier } from "../databases/database-copier.js";
import { getLastPart, toBackupName, toDatabaseName } from "../policy/names.js";

/** How long a database that is not in the records is kept, in days. */
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
 * Databases and backups of the installation that are not in its records. They are kept for some days, because the records may be wrong:
 * no one can connect to them, and their names have a date. A start with records that contain them makes them available again.
 */
export class KeptDatabases {
  readonly #admin: AdminConnection;
  readonly #copier: DatabaseCopier;

  constructor(admin: AdminConnection, copier: DatabaseCopier) {
    this.#admin = admin;
    this.#copier = copier;
  }

  /** Closes and renames a database. Returns its new name. */
  async keep(name: string): Promise<string> {
    const keptName = this.#admin.cluster.installation.toKeptName(name, await this.#readDate());
    await this.#admin.runScriptAsOwner(name, [
      `alter database ${quoteIdentifier(name)} allow_connections false`,
    ]);
    await this.#rename(name, keptName);
    return keptName;
  }

  /** Makes a kept database what it was. It stays closed. */
  async takeBack(keptName: string, name: string): Promise<void> {
    await this.#rename(keptName, name);
  }

  /**
   * Drops those that were kept long enough, by the clock of Postgres, unless the records contain them again. Returns the names of the others.
   */
  async dropExpired(attempt: Attempt, recordedDatabases: readonly RecordedDatabase[]): Promise<string[]> {
    const recordedParts = new Set(listRecordedNames(recordedDatabases).map(getLastPart));
    const { keptNamePrefix, platformDatabaseCondition } = this.#admin.cluster.installation;
    const databases = await this.#admin.query<{ name: string; expired: boolean }>(
      `select datname as name, split_part(datname, '.', 3)
          < to_char(now() at time zone 'UTC' - interval '${String(retentionDays)} days', 'YYYYMMDD') as expired
        from pg_database d where starts_with(datname, ${quoteLiteral(keptNamePrefix)}) and ${platformDatabaseCondition}`,
    );
    const remainingNames: string[] = [];
    for (const { name, expired } of databases) {
      const canDrop = expired && !recordedParts.has(getLastPart(name));
      const isDropped = canDrop && (await attemptDrop(attempt, this.#copier, name));
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

/** Returns what the operator should know about a database that is kept from now on. */
export const formatKeptMessage = (name: string, keptName: string): string =>
  `The Postgres database ${name} is not in the records. Nobody can connect to it. It is kept as ${keptName} for ${String(retentionDays)} days, and a ` +
  "start with records that contain it makes it available again";
