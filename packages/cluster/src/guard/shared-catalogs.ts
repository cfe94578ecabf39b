import type { Pool } from "pg";
import type { AdminConnection } from "../connection/admin-connection.js";
import { queryKeepingConnection } from "../connection/pool.js";
import { type Cluster, activeSessionCondition } from "../policy/cluster.js";
import type { Installation } from "../policy/installation.js";
import { buildLogLevelStatement, buildStartAsOwnerStatement } from "../policy/role-statements.js";
import { findLargestWorkspace, sumAmounts } from "./fair-limit.js";
import type { Workspaces } from "./workspaces.js";

/** The period over which writes are summed up, in milliseconds. */
const periodMs = 60_000;

/** The minimum size of a catalog, and of its dead rows, for dead rows to be removed, in bytes. */
const vacuumThresholds = { total: 8 * 1024 ** 2, dead: 4 * 1024 ** 2 };

/** The interval between checks for dead rows, in milliseconds. */
const vacuumIntervalMs = 10_000;

/** The size of the longest verifier of a password in Postgres 18, in bytes. Earlier versions have no limit. */
const maxVerifierBytes = 512;

/** The catalogs to which tenants write. */
const vacuumStatement =
  "vacuum pg_shdescription, pg_db_role_setting, pg_shdepend, pg_database, pg_authid, pg_auth_members";

const sharedCatalogSizeSql =
  "pg_relation_size(c.oid) + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0)";

/** A scalar query for the size of the shared catalogs in bytes. */
export const sharedBytesQuery = `
  select sum(${sharedCatalogSizeSql})::float8 from pg_class c where c.relisshared and c.relkind = 'r'`;

/**
 * The size of each shared catalog, and the databases whose sessions may write to it now: `COMMENT`, `ALTER DATABASE`, and `ALTER ROLE` hold
 * a lock until their transaction ends.
 */
const buildWritersQuery = ({ platformRoleCondition }: Installation): string => `
  select c.oid, (${sharedCatalogSizeSql})::float8 as bytes, coalesce(w.names, '{}') as writers
  from pg_class c left join (
    select l.relation, array_agg(distinct a.datname::text) as names
    from pg_locks l
    join pg_stat_activity a on a.pid = l.pid and a.${activeSessionCondition}
    join pg_roles r on r.oid = a.usesysid and ${platformRoleCondition}
    where l.locktype = 'relation' and l.database = 0 and l.mode = 'RowExclusiveLock'
    group by 1
  ) w on w.relation = c.oid
  where c.relisshared and c.relkind = 'r'`;

const deadBytesQuery = `
  select coalesce(sum(pg_relation_size(c.oid) * s.dead / greatest(s.dead + s.live, 1)), 0)::float8 as bytes
  from pg_class c
  cross join lateral (select pg_stat_get_dead_tuples(c.oid) as dead, pg_stat_get_live_tuples(c.oid) as live) s
  where c.relisshared and c.relkind in ('r', 't')`;

/**
 * The comments, settings, and huge passwords of tenants: rows of `name`, the database of the tenant, `bytes`, and `target`, what the
 * statements `COMMENT ON` and `ALTER` change. Tenants can store settings for their database, which backups copy, and for the roles as which
 * they log in and work: in all databases, or in any one, also in a database of others.
 */
const buildEntriesQuery = ({
  canReadPasswords,
  installation: { platformDatabaseCondition, platformRoleCondition, tenantDatabaseCondition },
}: Cluster): string => `
  with tenant as (select d.oid, d.datname as name, d.datdba as owner from pg_database d where ${tenantDatabaseCondition}),
  member as (
    select name, oid as database, owner as role from tenant
    union all select t.name, t.oid, a.member from tenant t join pg_auth_members a on a.roleid = t.owner
  )
  select t.name, pg_column_size(c.description)::float8 as bytes, 'comment' as kind, false as "isElsewhere", null as login,
    format('database %I', t.name) as target
  from tenant t join pg_shdescription c on c.classoid = 'pg_database'::regclass and c.objoid = t.oid
  union all
  select t.name, pg_column_size(s.setconfig), 'setting', false, null, format('database %I', d.datname)
  from pg_db_role_setting s
  join pg_database d on d.oid = s.setdatabase and ${platformDatabaseCondition}
  join tenant t on t.name = split_part(d.datname, '.', 1)
  where s.setrole = 0
  union all
  select m.name, pg_column_size(s.setconfig), 'setting', s.setdatabase not in (0, m.database),
    case when s.setdatabase = 0 and r.rolcanlogin then r.rolname end,
    format('role %I', r.rolname) || case when d.oid is null then '' else format(' in database %I', d.datname) end
  from member m
  join pg_roles r on r.oid = m.role and ${platformRoleCondition}
  join pg_db_role_setting s on s.setrole = r.oid
  left join pg_database d on d.oid = s.setdatabase
  ${canReadPasswords ? buildPasswordsQuery(platformRoleCondition) : ""}`;

const buildPasswordsQuery = (platformRoleCondition: string): string => `
  union all
  select m.name, pg_column_size(r.rolpassword), 'password', false, null, format('role %I', r.rolname)
  from member m
  join pg_authid r on r.oid = m.role and octet_length(r.rolpassword) > ${String(maxVerifierBytes)} and ${platformRoleCondition}`;

interface CatalogSize {
  oid: number;
  bytes: number;
  writers: string[];
}

/** An entry of a tenant in a shared catalog. */
interface CatalogEntry {
  /** The database of the tenant. */
  name: string;
  bytes: number;
  kind: "comment" | "setting" | "password";
  /** Whether it is a setting of a role in a database of others, where it has no use. */
  isElsewhere: boolean;
  target: string;
  /** The login whose settings the entry contains, some of which the platform has set; null for other entries. */
  login: string | null;
}

/**
 * Watches the catalogs that all databases of a server share. Every user may write there: comments and settings of a database, and settings
 * and passwords of a role. Postgres neither limits their size, nor is their space free when a database is dropped.
 */
export class SharedCatalogs {
  readonly #admin: AdminConnection;
  readonly #pool: Pool;
  readonly #workspaces: Workspaces;
  readonly #maxBytes: number;
  readonly #writersQuery: string;
  readonly #entriesQuery: string;
  /** The last sizes in bytes, by oid. */
  readonly #lastBytes = new Map<number, number>();
  /** Bytes that catalogs have grown by and that are not attributed to a database yet, by oid. */
  readonly #growth = new Map<number, number>();
  /** Bytes that sessions of databases have written in this period, by name of the database. */
  readonly #writtenBytes = new Map<string, number>();
  #lastTotalBytes = 0;
  /** The size when the entries of tenants were last looked up. */
  #entriesLookupBytes = 0;
  #periodEndsAt = 0;
  #vacuumAt = 0;
  #pendingWork: Promise<void> = Promise.resolve();

  /** @param maxBytes the limit of stored bytes for a workspace, and of bytes written in a minute. */
  constructor(admin: AdminConnection, pool: Pool, workspaces: Workspaces, maxBytes: number) {
    this.#admin = admin;
    this.#pool = pool;
    this.#workspaces = workspaces;
    this.#maxBytes = maxBytes;
    this.#writersQuery = buildWritersQuery(admin.cluster.installation);
    this.#entriesQuery = buildEntriesQuery(admin.cluster);
  }

  /** Waits for work in the background. */
  async close(): Promise<void> {
    await this.#pendingWork;
  }

  /**
   * Returns the names of the databases of workspaces that have stored or written too much.
   *
   * @param totalBytes the size of the catalogs.
   */
  async findExcessive(totalBytes: number): Promise<string[]> {
    const names = new Set([
      ...(await this.#findWriters(totalBytes)),
      ...(await this.#findStorers(totalBytes)),
    ]);
    this.#vacuumIfBloated(totalBytes);
    return [...names];
  }

  /** Attributes the growth to the databases that write. It is a sample, so it takes at least four to exceed the limit. */
  async #findWriters(totalBytes: number): Promise<string[]> {
    const hasGrown = totalBytes > this.#lastTotalBytes;
    this.#lastTotalBytes = totalBytes;
    if (!hasGrown) return [];
    if (performance.now() >= this.#periodEndsAt) {
      this.#periodEndsAt = performance.now() + periodMs;
      this.#growth.clear();
      this.#writtenBytes.clear();
    }
    const { rows } = await queryKeepingConnection<CatalogSize>(this.#pool, this.#writersQuery);
    for (const { oid, bytes, writers } of rows) {
      const growth = (this.#growth.get(oid) ?? 0) + Math.max(0, bytes - (this.#lastBytes.get(oid) ?? bytes));
      const attributedBytes = writers.length === 0 ? 0 : Math.min(growth, this.#maxBytes / 4);
      this.#lastBytes.set(oid, bytes);
      this.#growth.set(oid, growth - attributedBytes);
      for (const name of writers)
        this.#writtenBytes.set(name, (this.#writtenBytes.get(name) ?? 0) + attributedBytes / writers.length);
    }
    const names = await this.#selectExcessive(this.#writtenBytes);
    // Growth that was attributed to others meanwhile may have been caused by this workspace too.
    if (names.length > 0) this.#writtenBytes.clear();
    return names;
  }

  /** Sums the stored bytes of each tenant if the catalogs have grown, and removes entries of tenants that have stored too many. */
  async #findStorers(totalBytes: number): Promise<string[]> {
    if (totalBytes < this.#entriesLookupBytes) this.#entriesLookupBytes = totalBytes;
    if (totalBytes - this.#entriesLookupBytes < this.#maxBytes / 4) return [];
    const { rows } = await queryKeepingConnection<CatalogEntry>(this.#pool, this.#entriesQuery);
    const storedBytes = new Map<string, number>();
    for (const { name, bytes } of rows) storedBytes.set(name, (storedBytes.get(name) ?? 0) + bytes);
    const names = await this.#selectExcessive(storedBytes);
    const entriesToRemove = selectEntriesToRemove(
      rows.filter(({ name }) => names.includes(name)),
      this.#maxBytes / 2,
    );
    if (entriesToRemove.length > 0) this.#runInBackground(() => this.#removeEntries(entriesToRemove));
    // If a workspace has stored too much, another one may have as well, so the next check looks at all entries again.
    if (names.length === 0) this.#entriesLookupBytes = totalBytes;
    return names;
  }

  /** Returns the databases, of those in the map, of the workspace with the largest sum, if it exceeds the limit. */
  async #selectExcessive(bytesByDatabase: ReadonlyMap<string, number>): Promise<string[]> {
    const total = [...bytesByDatabase.values()].reduce((sum, bytes) => sum + bytes, 0);
    if (total <= this.#maxBytes) return [];
    await this.#workspaces.load([...bytesByDatabase.keys()]);
    const usages = [...bytesByDatabase].map(([name, amount]) => {
      return { name, amount, workspace: this.#workspaces.get(name) };
    });
    const largest = findLargestWorkspace(usages);
    return sumAmounts(largest) > this.#maxBytes ? largest.map(({ name }) => name) : [];
  }

  async #removeEntries(entries: readonly CatalogEntry[]): Promise<void> {
    for (const { name, kind, target, login } of entries) {
      const resetStatements = {
        comment: `comment on ${target} is null`,
        setting: `alter ${target} reset all`,
        // The recorded password is no longer in effect. A rotation or the next start sets one.
        password: `alter ${target} password null`,
      };
      const statements = [
        resetStatements[kind],
        ...(login === null
          ? []
          : [buildStartAsOwnerStatement(login, name), buildLogLevelStatement(this.#admin.cluster, login)]),
      ];
      // The next lookup finds the remaining entries.
      await this.#admin.runScriptAsOwner(name, statements).catch(() => undefined);
    }
  }

  /** Frees the space of dead rows earlier than Postgres itself would, if the platform has the privilege. */
  #vacuumIfBloated(totalBytes: number): void {
    if (!this.#admin.cluster.canVacuumSharedCatalogs) return;
    if (totalBytes < vacuumThresholds.total || performance.now() < this.#vacuumAt) return;
    this.#vacuumAt = performance.now() + vacuumIntervalMs;
    this.#runInBackground(async () => {
      const [row] = await this.#admin.query<{ bytes: number }>(deadBytesQuery);
      if ((row?.bytes ?? 0) >= vacuumThresholds.dead) await this.#admin.runLongStatement(vacuumStatement);
    });
  }

  #runInBackground(callback: () => Promise<void>): void {
    this.#pendingWork = this.#pendingWork.then(callback).catch(() => undefined);
  }
}

/** Returns the entries in databases of other tenants, and the largest entries, so that the rest does not exceed a size in bytes. */
const selectEntriesToRemove = (
  entries: readonly CatalogEntry[],
  maxRemainingBytes: number,
): CatalogEntry[] => {
  let remainingBytes = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  const isElsewhereFirst = (first: CatalogEntry, second: CatalogEntry): number =>
    Number(second.isElsewhere) - Number(first.isElsewhere) || second.bytes - first.bytes;
  return entries.toSorted(isElsewhereFirst).filter(({ isElsewhere, bytes }) => {
    if (!isElsewhere && remainingBytes <= maxRemainingBytes) return false;
    remainingBytes -= bytes;
    return true;
  });
};
