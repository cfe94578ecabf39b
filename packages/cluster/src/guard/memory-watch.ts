import type { Pool } from "pg";
import { isTenantDatabaseCondition } from "../policy/ownership.js";
import { queryKeepingConnection } from "../connection/pool.js";

export interface MemoryLimits {
  /** Returns how many bytes are in use where the databases are. */
  used: () => Promise<number>;
  /** Maximum size of a database with the temporary files of its sessions, in bytes. */
  perDatabase: number;
  /** Maximum size of all databases together, in bytes. */
  total: number;
}

/** A database that uses too much memory. */
export interface LargeDatabase {
  oid: number;
  name: string;
}

interface Size extends LargeDatabase {
  bytes: number;
}

/** The name of a temporary file has the process id of its session. */
const databaseSizesQuery = `
  select d.oid, d.datname as name, (pg_database_size(d.oid) + coalesce((
      select sum(t.size) from pg_ls_tmpdir() t join pg_stat_get_activity(null) a
        on a.datid = d.oid and starts_with(t.name, 'pgsql_tmp' || a.pid || '.')
    ), 0))::float8 as bytes
  from pg_database d
  where ${isTenantDatabaseCondition}
  order by 3 desc`;

/** Finds databases that use too much of the memory that they are in. */
export class MemoryWatch {
  readonly #limits: MemoryLimits;
  readonly #pool: Pool;
  /** Bytes in use at the last lookup of the sizes. */
  #used = 0;

  constructor(limits: MemoryLimits, pool: Pool) {
    this.#limits = limits;
    this.#pool = pool;
  }

  /**
   * Looks up the sizes of all databases if the bytes in use have grown by a sixteenth of the limit per database since the last
   * lookup.
   *
   * @param isAlwaysIncluded looks them up even if they have not grown.
   */
  async findLarge(isAlwaysIncluded: boolean): Promise<LargeDatabase[]> {
    const { perDatabase, total } = this.#limits;
    const used = await this.#limits.used();
    if (used < this.#used) this.#used = used;
    if (!isAlwaysIncluded && used - this.#used < perDatabase / 16) return [];
    const { rows } = await queryKeepingConnection<Size>(this.#pool, databaseSizesQuery);
    this.#used = used;
    const isOverLimit = rows.reduce((totalBytes, { bytes }) => totalBytes + bytes, 0) > total;
    return rows.filter(({ bytes }, index) => bytes > perDatabase || (isOverLimit && index === 0));
  }
}
