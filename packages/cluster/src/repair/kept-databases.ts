import { type AdminConnection, quoteIdentifier } from "../connection/admin-connection.js";
import type { Attempt } from "../connection/attempt.js";
import type { DatabaseCopier } from "../databases/database-copier.js";

/** How long a database that is not in the records is kept, in days. */
const retentionDays = 7;

/**
 * Databases and backups of the installation that are not in its records. They are kept for some days, because the records may be wrong:
 * nobody can connect to them, and their names have a date. A start with records that contain them makes them available again.
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
    const { today } = await this.#readDates();
    const keptName = this.#admin.cluster.installation.toKeptName(name, today);
    await this.#admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections false`]);
    await this.#rename(name, keptName);
    return keptName;
  }

  /** Makes a kept database what it was. It stays closed. */
  async takeBack(keptName: string, name: string): Promise<void> {
    await this.#rename(keptName, name);
  }

  /** Drops those that were kept long enough, by the clock of Postgres. Returns the names of the others. */
  async dropExpired(keptNames: readonly string[], attempt: Attempt): Promise<string[]> {
    if (keptNames.length === 0) return [];
    const { firstKept } = await this.#readDates();
    const remainingNames: string[] = [];
    for (const name of keptNames) {
      const [, , date = firstKept] = name.split(".");
      const isDropped =
        date < firstKept &&
        (await attempt(`The Postgres database ${name} could not be dropped`, () => this.#copier.drop(name)));
      if (!isDropped) remainingNames.push(name);
    }
    return remainingNames;
  }

  async #rename(from: string, to: string): Promise<void> {
    await this.#admin.runWhenUnused(from, () =>
      this.#admin.runScript([`alter database ${quoteIdentifier(from)} rename to ${quoteIdentifier(to)}`]),
    );
  }

  /** Returns today's date, and the first one whose databases are still kept, as in names. */
  async #readDates(): Promise<{ today: string; firstKept: string }> {
    const [dates] = await this.#admin.query<{ today: string; firstKept: string }>(
      `select to_char(today, 'YYYYMMDD') as today, to_char(today - interval '${String(retentionDays)} days', 'YYYYMMDD') as "firstKept"
        from (select now() at time zone 'UTC' as today) as clock`,
    );
    if (dates === undefined) throw new Error("Postgres did not return a row");
    return dates;
  }
}

/** Returns what the operator should know about a database that is kept from now on. */
export const formatKeptMessage = (name: string, keptName: string): string =>
  `The Postgres database ${name} is not in the records. Nobody can connect to it. It is kept as ${keptName} for ${String(retentionDays)} days, and a ` +
  "start with records that contain it makes it available again";
