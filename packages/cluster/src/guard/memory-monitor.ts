import { type Pool, escapeLiteral } from "pg";
import type { Installation } from "../policy/installation.js";
import { getDatabaseUse, systemNames, toTenantDatabaseName } from "../policy/names.js";
import { queryKeepingConnection } from "../connection/pool.js";
import { chooseExcessive } from "./fair-limit.js";
import type { Workspaces } from "./workspaces.js";

/** How much memory the databases may use, and how that is measured. */
export interface MemoryLimits {
  /** Returns the number of bytes in use on the file system of the databases. */
  readUsedBytes: () => Promise<number>;
  /** Maximum size of a database with the files that its sessions write outside it, in bytes. */
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
 * The files outside databases that a session writes, by its process id: temporary files, which parallel workers share in a directory, and
 * exported snapshots, whose names begin with the number of the transaction in hexadecimal digits. A file may be removed meanwhile.
 */
const sessionFilesQuery = `
  select substring(t.name from '^pgsql_tmp([0-9]+)')::integer as pid, t.size from pg_ls_tmpdir() t
  union all
  select substring(folder.name from '^pgsql_tmp([0-9]+)')::integer, s.size
    from (select name from pg_ls_dir('base/pgsql_tmp', true, false) name where name like 'pgsql_tmp%fileset' offset 0) folder
    cross join pg_ls_dir('base/pgsql_tmp/' || folder.name, true, false) file
    cross join pg_stat_file('base/pgsql_tmp/' || folder.name || '/' || file, true) s
  union all
  select l.pid, s.size
    from pg_ls_dir('pg_snapshots') file
    join pg_locks l on l.locktype = 'virtualxid' and l.virtualxid = ('x' || substring(file from 1 for 8))::bit(32)::integer || '/'
      || ('x' || substring(file from 10 for 8))::bit(32)::bigint
    cross join pg_stat_file('pg_snapshots/' || file, true) s`;

/** Bytes that each row of `pg_shdepend` takes with its indexes, and the number of its pages that are looked at. */
const dependencies = { bytes: 150, pages: 1_000 };

/**
 * The sizes of the databases of tenants, their backups, and unfinished copies, with the files of their sessions, and with an estimate of
 * their rows in `pg_shdepend`, which all databases share: it has a row for each object, and each role that has privileges for it.
 */
const buildDatabaseSizesQuery = ({ platformDatabaseCondition, preparedNamePrefix }: Installation): string => `
  with dependencies as materialized (
    select s.share, d.dbid, count(*) as rows
    from (select least(1, ${String(dependencies.pages)} * 8192.0 / greatest(pg_relation_size('pg_shdepend'), 1)) as share) s
    cross join (select dbid from pg_shdepend tablesample system
      (least(100, ${String(dependencies.pages * 100)} * 8192.0 / greatest(pg_relation_size('pg_shdepend'), 1)))) d
    group by 1, 2
  ), session_files as materialized (
    select a.datid, sum(f.size) as size from (${sessionFilesQuery}) f
      join pg_stat_get_activity(null) a on a.pid = f.pid group by a.datid
  )
  select d.oid, d.datname as name, (pg_database_size(d.oid) + coalesce(f.size, 0)
      + coalesce(s.rows / s.share * ${String(dependencies.bytes)}, 0))::float8 as bytes
  from pg_database d
  left join session_files f on f.datid = d.oid
  left join dependencies s on s.dbid = d.oid
  where d.datname not in (${systemNames.map(escapeLiteral).join(", ")})
    and not starts_with(d.datname, ${escapeLiteral(preparedNamePrefix)}) and ${platformDatabaseCondition}`;

/** Finds databases that use too much memory. */
export class MemoryMonitor {
  readonly #limits: MemoryLimits;
  readonly #pool: Pool;
  readonly #workspaces: Workspaces;
  readonly #databaseSizesQuery: string;
  /** Bytes in use at the last lookup of the sizes. */
  #lastUsedBytes = 0;

  constructor(limits: MemoryLimits, pool: Pool, workspaces: Workspaces, installation: Installation) {
    this.#databaseSizesQuery = buildDatabaseSizesQuery(installation);
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
    const { rows } = await queryKeepingConnection<DatabaseSize>(this.#pool, this.#databaseSizesQuery);
    this.#lastUsedBytes = usedBytes;
    await this.#workspaces.load(rows.map(({ name }) => name));
    const amounts = new Map<string, number>();
    for (const { name, bytes } of rows) {
      const database = toTenantDatabaseName(name);
      amounts.set(database, (amounts.get(database) ?? 0) + bytes);
    }
    const usages = rows
      .filter(({ name }) => getDatabaseUse(name) === "database")
      .map(({ oid, name, bytes }) => {
        const amount = amounts.get(name) ?? bytes;
        return { oid, name, bytes, amount, workspace: this.#workspaces.get(name) };
      });
    const excessiveDatabases = new Set(chooseExcessive(usages, maxTotalBytes));
    return usages.filter((usage) => usage.bytes > maxBytesPerDatabase || excessiveDatabases.has(usage));
  }
}
