import { type Pool, escapeLiteral } from "pg";
import { classifyName, preparedNamePrefix, systemNames, toTenantDatabaseName } from "../policy/names.js";
import { platformDatabaseCondition } from "../policy/ownership.js";
import { queryKeepingConnection } from "../connection/pool.js";
import { chooseExcessive } from "./fair-limit.js";
import type { Workspaces } from "./workspaces.js";

export interface MemoryLimits {
  /** Returns how many bytes are in use where the databases are. */
  readUsedBytes: () => Promise<number>;
  /** Maximum size of a database with the temporary files of its sessions, in bytes. */
  maxBytesPerDatabase: number;
  /** Maximum size of all databases together with their backups, in bytes. */
  maxTotalBytes: number;
}

/** A database that uses too much memory. */
export interface LargeDatabase {
  oid: number;
  name: string;
}

interface DatabaseSize extends LargeDatabase {
  bytes: number;
}

/**
 * The sizes of the databases of tenants, their backups, and unfinished copies. The name of a temporary file has the process id of its
 * session.
 */
const databaseSizesQuery = `
  select d.oid, d.datname as name, (pg_database_size(d.oid) + coalesce((
      select sum(t.size) from pg_ls_tmpdir() t join pg_stat_get_activity(null) a
        on a.datid = d.oid and starts_with(t.name, 'pgsql_tmp' || a.pid || '.')
    ), 0))::float8 as bytes
  from pg_database d
  where d.datname not in (${systemNames.map(escapeLiteral).join(", ")})
    and not starts_with(d.datname, ${escapeLiteral(preparedNamePrefix)}) and ${platformDatabaseCondition}`;

/** Finds databases that use too much of the memory that they are in. */
export class MemoryWatch {
  readonly #limits: MemoryLimits;
  readonly #pool: Pool;
  readonly #workspaces: Workspaces;
  /** Bytes in use at the last lookup of the sizes. */
  #lastUsedBytes = 0;

  constructor(limits: MemoryLimits, pool: Pool, workspaces: Workspaces) {
    this.#limits = limits;
    this.#pool = pool;
    this.#workspaces = workspaces;
  }

  /**
   * Looks up the sizes of all databases if the bytes in use have grown by a sixteenth of the limit per database since the last
   * lookup.
   *
   * @param isForced looks them up even if they have not grown.
   */
  async findLargeDatabases(isForced: boolean): Promise<LargeDatabase[]> {
    const { maxBytesPerDatabase, maxTotalBytes } = this.#limits;
    const usedBytes = await this.#limits.readUsedBytes();
    if (usedBytes < this.#lastUsedBytes) this.#lastUsedBytes = usedBytes;
    if (!isForced && usedBytes - this.#lastUsedBytes < maxBytesPerDatabase / 16) return [];
    const { rows } = await queryKeepingConnection<DatabaseSize>(this.#pool, databaseSizesQuery);
    this.#lastUsedBytes = usedBytes;
    await this.#workspaces.learn(rows.map(({ name }) => name));
    const amounts = new Map<string, number>();
    for (const { name, bytes } of rows) {
      const database = toTenantDatabaseName(name);
      amounts.set(database, (amounts.get(database) ?? 0) + bytes);
    }
    const usages = rows
      .filter(({ name }) => classifyName(name) === "database")
      .map(({ oid, name, bytes }) => {
        const amount = amounts.get(name) ?? bytes;
        return { oid, name, bytes, amount, workspace: this.#workspaces.get(name) };
      });
    const excessiveDatabases = new Set(chooseExcessive(usages, maxTotalBytes));
    return usages.filter((usage) => usage.bytes > maxBytesPerDatabase || excessiveDatabases.has(usage));
  }
}
