import {
  type AdminConnection,
  isPrivilegeError,
  invalidDatabaseCondition,
} from "../connection/admin-connection.js";
import { getDatabaseUse, toBackupSuffix } from "../policy/names.js";

/** The database and the owner role that exist in Postgres for a database of the API. */
interface CatalogState {
  database: "none" | "invalid" | "valid";
  /** Whether the owner role exists. */
  hasRole: boolean;
  /** Whether a database or role with this name exists that does not belong to the installation. The other fields do not include it. */
  isForeign: boolean;
}

/** Thrown when the name of a database belongs to an object that the installation has not created. */
export class ForeignNameError extends Error {
  override readonly name = "ForeignNameError";

  constructor(readonly postgresName: string) {
    super(
      `The name ${postgresName} belongs to a database or a role that others have made in this Postgres. Rename it, and try again`,
    );
  }
}

/** Reads from the system catalogs which databases and roles exist, and how much they use. */
export class Catalog {
  readonly #admin: AdminConnection;

  constructor(admin: AdminConnection) {
    this.#admin = admin;
  }

  /**
   * Like `inspect`, but throws if the name belongs to an object that the installation has not created.
   *
   * @throws ForeignNameError
   */
  async inspectOwn(name: string): Promise<CatalogState> {
    const database = await this.inspect(name);
    if (database.isForeign) throw new ForeignNameError(name);
    return database;
  }

  /** Returns which parts of a database exist in Postgres, in one round trip. */
  async inspect(name: string): Promise<CatalogState> {
    const { platformDatabaseCondition, platformRoleCondition } = this.#admin.cluster.installation;
    const [database] = await this.#admin.query<CatalogState>(
      `select
        coalesce((select case when ${invalidDatabaseCondition} then 'invalid' else 'valid' end
          from pg_database d where datname = $1 and ${platformDatabaseCondition}), 'none') as database,
        exists (select from pg_roles r where rolname = $1 and ${platformRoleCondition}) as "hasRole",
        exists (select from pg_database d where datname = $1 and not ${platformDatabaseCondition})
          or exists (select from pg_roles r where rolname = $1 and not ${platformRoleCondition}) as "isForeign"`,
      [name],
    );
    if (database === undefined) throw new Error("Postgres did not return a row");
    return database;
  }

  /**
   * Returns the name of the database of a backup.
   *
   * @throws Error when the backup does not exist.
   */
  async requireBackupDatabase(backupId: string): Promise<string> {
    const name = await this.findBackupDatabase(backupId);
    if (name === undefined) throw new Error(`The backup ${backupId} does not exist`);
    return name;
  }

  /** Returns the name of the database of a backup; undefined when the backup does not exist. */
  async findBackupDatabase(backupId: string): Promise<string | undefined> {
    const [name] = await this.findDatabasesLike(
      `%${toBackupSuffix(backupId)}`,
      `not ${invalidDatabaseCondition}`,
    );
    return name;
  }

  /**
   * Returns the names of the databases of the installation that match a pattern of `LIKE`, where `_` matches only itself. Leaves out
   * databases that are not in the records.
   */
  async findDatabasesLike(pattern: string, condition = "true"): Promise<string[]> {
    const rows = await this.#admin.query<{ name: string }>(
      `select datname as name from pg_database d
        where datname like $1 and ${this.#admin.cluster.installation.platformDatabaseCondition} and ${condition}`,
      [pattern.replaceAll("_", "\\_")],
    );
    return rows.map(({ name }) => name).filter((name) => getDatabaseUse(name) !== "retained");
  }

  /** Returns the size of a database in bytes. */
  async readSize(name: string): Promise<number> {
    const [row] = await this.#admin.query<{ size: string }>(
      "select pg_database_size(datname) as size from pg_database where datname = $1",
      [name],
    );
    if (row === undefined) throw new Error(`The Postgres database ${name} does not exist`);
    return Number(row.size);
  }

  /** Returns 0 for a database that does not exist. */
  async readUsage(name: string): Promise<{ bytes: number; operations: number }> {
    try {
      return await this.#queryUsage(name);
    } catch (error) {
      if (!isPrivilegeError(error)) throw error;
      await this.#admin.grantConnectToItself(name);
      return this.#queryUsage(name);
    }
  }

  async #queryUsage(name: string): Promise<{ bytes: number; operations: number }> {
    const [row] = await this.#admin.query<{ bytes: string | null; operations: string | null }>(
      `select pg_database_size(d.oid) as bytes, xact_commit + xact_rollback as operations
        from pg_database d left join pg_stat_database on datid = d.oid where d.datname = $1`,
      [name],
    );
    return { bytes: Number(row?.bytes ?? 0), operations: Number(row?.operations ?? 0) };
  }
}
