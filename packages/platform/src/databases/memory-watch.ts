import { statfs } from "node:fs/promises";
import type { Pool } from "pg";
import { isOurs } from "./ownership.js";
import { queryOnKept } from "./pool.js";

const mebibyte = 1024 ** 2;

/** The type of a file system that is in memory: `TMPFS_MAGIC` in Linux. */
const tmpfs = 0x0102_1994;

export interface MemoryLimits {
  /** A directory on the file system that has the databases. */
  directory: string;
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

/** Returns the limits for databases in memory: 1 GiB each, and half of what is free together. Undefined if they are on a disk. */
export const memoryLimitsFor = async (directory: string): Promise<MemoryLimits | undefined> => {
  const { type, bavail, bsize } = await statfs(directory);
  return type === tmpfs
    ? { directory, perDatabase: 1024 * mebibyte, total: Math.floor((bavail * bsize) / 2) }
    : undefined;
};

/** The name of a temporary file has the process id of its session. */
const findSizes = `
  select d.oid, d.datname as name, (pg_database_size(d.oid) + coalesce((
      select sum(t.size) from pg_ls_tmpdir() t join pg_stat_get_activity(null) a
        on a.datid = d.oid and starts_with(t.name, 'pgsql_tmp' || a.pid || '.')
    ), 0))::float8 as bytes
  from pg_database d
  where d.datname not like '%.%' and ${isOurs}
  order by 3 desc`;

/** Finds databases that use too much of the memory that they are in. */
export class MemoryWatch {
  readonly #limits: MemoryLimits;
  readonly #pool: Pool;
  /** Bytes in use on the file system at the last lookup of the sizes. */
  #used = 0;

  constructor(limits: MemoryLimits, pool: Pool) {
    this.#limits = limits;
    this.#pool = pool;
  }

  /**
   * Looks up the sizes of all databases if the file system has grown by a sixteenth of the limit per database since the last
   * lookup.
   *
   * @param always looks them up even if it has not grown.
   */
  async findLarge(always: boolean): Promise<LargeDatabase[]> {
    const { directory, perDatabase, total } = this.#limits;
    const { blocks, bfree, bsize } = await statfs(directory);
    const used = (blocks - bfree) * bsize;
    if (used < this.#used) this.#used = used;
    if (!always && used - this.#used < perDatabase / 16) return [];
    const { rows } = await queryOnKept<Size>(this.#pool, findSizes);
    this.#used = used;
    const isTooMuch = rows.reduce((sum, { bytes }) => sum + bytes, 0) > total;
    return rows.filter(({ bytes }, index) => bytes > perDatabase || (isTooMuch && index === 0));
  }
}
