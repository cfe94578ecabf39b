import { isDeepStrictEqual } from "node:util";
import { DatabaseError, type Pool } from "pg";
import type { ServerLimits } from "../policy/connection-limits.js";
import { type AdminConnection, quoteIdentifier } from "../connection/admin-connection.js";
import { type FairLimits, type Usage, chooseExcessive, computeFairLimits } from "./fair-limit.js";
import { type MemoryLimits, MemoryMonitor } from "./memory-monitor.js";
import type { Installation } from "../policy/installation.js";
import { TerminationReasons } from "../connection/termination-reasons.js";
import { terminationErrors } from "../connection/login-rejected.js";
import { SessionRoles } from "./session-roles.js";
import { SharedCatalogs, sharedBytesQuery } from "./shared-catalogs.js";
import { openPool, queryKeepingConnection } from "../connection/pool.js";
import { type ReadWorkspaces, Workspaces } from "./workspaces.js";

/** The limits of each database and of each workspace. */
export interface TenantLimits {
  /** Maximum number of connections of one database. */
  connectionsPerDatabase: number;
  /** Workspaces get fewer connections while they have more than this together. */
  sharedConnectionThreshold: number;
  /** Maximum number of locks of all tenants together. */
  maxLocks: number;
  /**
   * Maximum size that a workspace may store in the catalogs that all databases share, and maximum that it may write there in a minute, in
   * bytes.
   */
  maxSharedCatalogBytes: number;
  /** How long a database stays closed after it has used too much, in milliseconds. */
  closedMs: number;
  /** Limits for databases in memory. Default: none, for databases on a disk. */
  memory?: MemoryLimits | undefined;
}

/** Reserves a fifth of the connections for workspaces that have few. */
const computeDefaultLimits = ({
  connectionsPerDatabase,
  connections,
  locks,
}: ServerLimits): TenantLimits => ({
  connectionsPerDatabase,
  sharedConnectionThreshold: Math.floor(connections * 0.8),
  maxLocks: locks,
  maxSharedCatalogBytes: 32 * 1024 ** 2,
  closedMs: 60_000,
});

export interface TenantGuardOptions {
  /** Receives a message about each database that is closed because it uses too much memory. */
  readonly report?: ((problem: string) => void) | undefined;
  /** Records the reasons for which sessions are terminated. */
  readonly terminationReasons?: TerminationReasons;
  /** Default: each database has a workspace of its own. */
  readonly readWorkspaces?: ReadWorkspaces | undefined;
}

/** Milliseconds between checks while sessions of tenants are active, and while none is. */
const checkIntervalsMs = { used: 250, unused: 1_000 };

/** How long a session counts as active after its last statement, in seconds: longer than the interval. */
const activityPeriodSeconds = 2;

/** Share of the notification queue that may be in use. All databases use the same queue. */
const maxQueueUsage = 0.25;

/** The locks of a session. */
interface HeldLocks {
  /** Oid of its database. */
  database: number;
  pid: number;
  locks: number;
}

interface DatabaseUsage {
  oid: number;
  name: string;
  limit: number;
  sessions: number;
  /** Whether a session is active, or was active recently. */
  isActive: boolean;
}

const buildUsageQuery = ({ platformRoleCondition, tenantDatabaseCondition }: Installation): string => `
  select d.oid::bigint::float8 as oid, d.datname as name, d.datconnlimit as limit, count(a.pid)::integer as sessions,
    coalesce(bool_or(a.state is distinct from 'idle'
      or a.state_change > clock_timestamp() - interval '${String(activityPeriodSeconds)} s') filter (where a.pid is not null), false) as "isActive"
  from pg_database d
  left join pg_stat_activity a on a.datid = d.oid and coalesce(a.backend_type, 'client backend') = 'client backend'
    and exists (select from pg_roles r where r.oid = a.usesysid and ${platformRoleCondition})
  where (d.datconnlimit not in ($1, -2) or a.pid is not null or d.oid = any ($2))
    and ${tenantDatabaseCondition}
  group by 1, 2, 3`;

const buildTerminateNewestQuery = ({ platformRoleCondition }: Installation): string => `
  select pg_terminate_backend(newest.pid) from (
    select a.pid from pg_stat_activity a join pg_roles r on r.oid = a.usesysid and ${platformRoleCondition}
    where a.datname = $1 order by a.backend_start offset $2
  ) newest`;

/**
 * Tries to acquire the lock of the guard, which only one session can hold, and returns the first data of the check in the same round trip.
 * Tenants cannot acquire the lock, because each database has its own advisory locks.
 */
const buildCheckQuery = (installation: Installation): string => `
  with leader as materialized (select pg_try_advisory_lock(${installation.toLockKey("tenant guard")}) as leads)
  select leads as "isLeader",
    case when leads then (${sharedBytesQuery}) end as "sharedBytes",
    case when leads then (select coalesce(json_agg(u), '[]') from (${buildUsageQuery(installation)}) u) end as usages
  from leader`;

/** The first data of a check. */
interface GuardCheck {
  /** Whether this process applies the limits. */
  isLeader: boolean;
  /** The size of the shared catalogs; undefined when there is no lock left to read it. */
  sharedBytes?: number;
  /** Undefined when there is no lock left to read them. */
  usages?: DatabaseUsage[];
}

/** Finds listeners that have not read notifications for a second, because they are in a transaction or their client does not read. */
const buildSlowListenersQuery = ({ platformRoleCondition }: Installation): string => `
  select a.pid, a.datname as name
  from pg_stat_activity a join pg_roles r on r.oid = a.usesysid and ${platformRoleCondition}
  where (a.xact_start < now() - interval '1 second' or a.wait_event = 'ClientWrite') and pg_notification_queue_usage() > $1`;

const buildQueries = (installation: Installation) => ({
  usage: buildUsageQuery(installation),
  terminateNewest: buildTerminateNewestQuery(installation),
  check: buildCheckQuery(installation),
  slowListeners: buildSlowListenersQuery(installation),
});

/** Terminates sessions by process id, unless a session of another database has the id now. */
const terminateSessionsQuery = `
  select pg_terminate_backend(a.pid) from pg_stat_activity a
  join unnest($1::integer[], $2::text[]) as ended (pid, name) on ended.pid = a.pid and ended.name = a.datname`;

/**
 * Keeps tenants from exhausting the resources that all databases of a server share and Postgres cannot limit per database: connections, locks,
 * the notification queue, and catalogs. The limits apply to the sum over the databases of a workspace. Also restores the connection limits of
 * databases, which their owners can change. If several processes use one server, one of them applies the limits, until it exits.
 */
export class TenantGuard {
  readonly #admin: AdminConnection;
  readonly #chosenLimits: Partial<TenantLimits>;
  #limits: TenantLimits;
  /** Whether the guard has a new connection, because the server may have restarted with other settings. */
  #isConnectionNew = false;
  readonly #report: (problem: string) => void;
  readonly #terminationReasons: TerminationReasons;
  readonly #pool: Pool;
  readonly #queries: ReturnType<typeof buildQueries>;
  /** Names of the databases with sessions at the last check, by oid. While tenants hold all locks, they cannot be queried. */
  readonly #databaseNames = new Map<number, string>();
  /** Until when a database is closed, by oid: a time of `performance.now()`, which is independent of changes of the clock. */
  readonly #closedUntil = new Map<number, number>();
  /** Oids of databases that are closed because they use too much memory. */
  readonly #closedForMemory = new Set<number>();
  readonly #memoryMonitor: MemoryMonitor | undefined;
  readonly #workspaces: Workspaces;
  readonly #sharedCatalogs: SharedCatalogs;
  readonly #sessionRoles: SessionRoles;
  /** The limits while there are many connections, by oid of the database. */
  #fairLimits: FairLimits<number> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pendingRun: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    admin: AdminConnection,
    limits: Partial<TenantLimits>,
    {
      report = () => undefined,
      terminationReasons = new TerminationReasons(),
      readWorkspaces,
    }: TenantGuardOptions = {},
  ) {
    this.#admin = admin;
    this.#chosenLimits = limits;
    this.#limits = { ...computeDefaultLimits(admin.limits), ...limits };
    this.#report = report;
    this.#terminationReasons = terminationReasons;
    // The guard has its own connection, which other work cannot occupy.
    this.#pool = openPool({ ...admin.address, max: 1 });
    this.#pool.on("connect", () => {
      this.#isConnectionNew = true;
    });
    const { installation } = admin.cluster;
    this.#queries = buildQueries(installation);
    this.#workspaces = new Workspaces(readWorkspaces);
    const { memory, maxSharedCatalogBytes } = this.#limits;
    this.#sharedCatalogs = new SharedCatalogs(admin, this.#pool, this.#workspaces, maxSharedCatalogBytes);
    this.#sessionRoles = new SessionRoles(admin.cluster, this.#pool);
    this.#memoryMonitor = memory && new MemoryMonitor(memory, this.#pool, this.#workspaces, installation);
  }

  /** Applies the limits now, and then regularly. */
  async start(): Promise<void> {
    const isUsed = await this.#tryApplyLimits();
    if (this.#isClosed) return;
    const applyAgain = (): void => {
      this.#pendingRun = this.start();
    };
    this.#timer = setTimeout(applyAgain, isUsed ? checkIntervalsMs.used : checkIntervalsMs.unused).unref();
  }

  /** Returns how many databases are closed now because they have used too much. */
  countClosed(): number {
    const now = performance.now();
    return [...this.#closedUntil.values()].filter((closedUntil) => closedUntil > now).length;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#pendingRun;
    await this.#sharedCatalogs.close();
    await this.#pool.end();
  }

  /** Runs `applyLimits`. Returns true if it fails. */
  async #tryApplyLimits(): Promise<boolean> {
    try {
      return await this.applyLimits();
    } catch {
      // Postgres is not running, or rejects a change because a database is being dropped. The next check tries again.
      return true;
    }
  }

  /** Applies all limits, unless another process does. Returns whether sessions of tenants are active. */
  async applyLimits(): Promise<boolean> {
    const parameters = this.#getUsageParameters();
    const { isLeader, sharedBytes, usages: firstUsages } = await this.#check(parameters);
    if (!isLeader) return false;
    if (firstUsages !== undefined) this.#cacheNames(firstUsages);
    // Without a session, no locks are held.
    const mightHaveSessions = firstUsages === undefined || hasSessions(firstUsages);
    if (mightHaveSessions) await this.#terminateSessionsWithMostLocks();
    // If this fails, Postgres hides the state of some sessions until the next check.
    const hasJoined = await this.#sessionRoles.update(mightHaveSessions).catch(() => false);
    if (this.#isConnectionNew) await this.#readLimits();
    await this.#closeLargeDatabases();
    if (sharedBytes !== undefined) await this.#closeDatabasesInSharedCatalogs(sharedBytes);
    const isComplete = !hasJoined && isDeepStrictEqual(parameters, this.#getUsageParameters());
    const usages = firstUsages !== undefined && isComplete ? firstUsages : await this.#readUsages();
    const presentOids = new Set(usages.map(({ oid }) => oid));
    for (const oid of this.#closedUntil.keys()) if (!presentOids.has(oid)) this.#closedUntil.delete(oid);
    if (usages.length === 0) return false;
    await this.#workspaces.load(usages.map(({ name }) => name));
    this.#updateFairLimits(usages);
    const limitChanges = usages.map((usage) => ({ ...usage, targetLimit: this.#getCurrentLimit(usage.oid) }));
    for (const { oid, name, sessions, targetLimit: limit } of limitChanges) {
      if (sessions <= limit) continue;
      if (!this.#closedUntil.has(oid))
        this.#terminationReasons.set(name, terminationErrors.tooManyConnectionsInTotal(name, limit));
      await queryKeepingConnection(this.#pool, this.#queries.terminateNewest, [name, limit]);
    }
    if (hasSessions(usages)) await this.#terminateSlowListeners();
    // A database that is being dropped must not prevent changes of other databases.
    await Promise.allSettled(
      limitChanges.filter((usage) => usage.limit !== usage.targetLimit).map((usage) => this.#setLimit(usage)),
    );
    return usages.some(({ isActive }) => isActive);
  }

  /** Returns the parameters that select databases without sessions whose limit may have to change. */
  #getUsageParameters(): readonly unknown[] {
    return [this.#limits.connectionsPerDatabase, [...this.#closedUntil.keys()]];
  }

  #cacheNames(usages: readonly DatabaseUsage[]): void {
    this.#databaseNames.clear();
    for (const { oid, name } of usages) this.#databaseNames.set(oid, name);
  }

  /** Reads the limits that fit the settings of the server. The next check tries again if it cannot. */
  async #readLimits(): Promise<void> {
    try {
      this.#admin.limits = await this.#admin.cluster.readLimits(this.#admin);
      this.#limits = { ...computeDefaultLimits(this.#admin.limits), ...this.#chosenLimits };
      this.#isConnectionNew = false;
    } catch {
      // The previous limits stay in effect.
    }
  }

  /** Reads whether this process enforces the limits, and the usage of the tenants. */
  async #check(parameters: readonly unknown[]): Promise<GuardCheck> {
    try {
      const { rows } = await queryKeepingConnection<GuardCheck>(this.#pool, this.#queries.check, parameters);
      return rows[0] ?? { isLeader: false };
    } catch (error) {
      // The tenants have all locks, and the process that applied the limits may have exited.
      if (error instanceof DatabaseError && error.code === "53200") return { isLeader: true };
      throw error;
    }
  }

  async #readUsages(): Promise<DatabaseUsage[]> {
    const { rows } = await queryKeepingConnection<DatabaseUsage>(
      this.#pool,
      this.#queries.usage,
      this.#getUsageParameters(),
    );
    this.#cacheNames(rows);
    return rows;
  }

  /**
   * If there are too many locks, terminates the sessions of the databases that hold the most in the workspace that holds the most, and closes
   * these databases for a while.
   */
  async #terminateSessionsWithMostLocks(): Promise<void> {
    const { cluster } = this.#admin;
    const { rows } = await queryKeepingConnection<HeldLocks>(this.#pool, cluster.heldLocksQuery);
    const locksByDatabase = new Map<number, number>();
    for (const { database, locks } of rows)
      locksByDatabase.set(database, (locksByDatabase.get(database) ?? 0) + locks);
    const usages = [...locksByDatabase].map(([oid, amount]) => {
      const name = this.#databaseNames.get(oid);
      return { oid, name, amount, workspace: this.#workspaces.get(name ?? `oid ${String(oid)}`) };
    });
    const excessiveDatabases = chooseExcessive(usages, this.#limits.maxLocks);
    if (excessiveDatabases.length === 0) return;
    for (const { oid, name } of excessiveDatabases) {
      this.#closedUntil.set(oid, performance.now() + this.#limits.closedMs);
      if (name !== undefined)
        this.#terminationReasons.set(
          name,
          terminationErrors.tooManyLocks(name, this.#limits),
          this.#limits.closedMs,
        );
    }
    const excessiveOids = new Set(excessiveDatabases.map(({ oid }) => oid));
    const pids = rows.filter(({ database }) => excessiveOids.has(database)).map(({ pid }) => pid);
    await cluster.terminateSessions(pids, (text, values) => queryKeepingConnection(this.#pool, text, values));
  }

  /** Closes databases that use too much memory, until they use less. */
  async #closeLargeDatabases(): Promise<void> {
    const isRecheckDue = [...this.#closedForMemory].some(
      (oid) => (this.#closedUntil.get(oid) ?? 0) <= performance.now(),
    );
    // The lookup fails while a database is being dropped. The next check tries again.
    const largeDatabases = await this.#memoryMonitor?.findLargeDatabases(isRecheckDue).catch(() => undefined);
    if (largeDatabases === undefined) return;
    if (isRecheckDue) this.#closedForMemory.clear();
    for (const { oid, name } of largeDatabases) {
      if (!this.#closedUntil.has(oid)) this.#report(formatTooLargeMessage(name));
      this.#terminationReasons.set(name, terminationErrors.tooLarge(name), this.#limits.closedMs);
      this.#closedUntil.set(oid, performance.now() + this.#limits.closedMs);
      this.#closedForMemory.add(oid);
    }
  }

  /** Closes the databases of workspaces that have stored or written too much in the shared catalogs, for a while. */
  async #closeDatabasesInSharedCatalogs(sharedBytes: number): Promise<void> {
    const names = await this.#sharedCatalogs.findExcessive(sharedBytes);
    if (names.length === 0) return;
    const { rows } = await queryKeepingConnection<{ oid: number; name: string }>(
      this.#pool,
      "select oid, datname as name from pg_database where datname = any ($1)",
      [names],
    );
    for (const { oid, name } of rows) {
      if (!this.#closedUntil.has(oid)) this.#report(formatSharedCatalogsMessage(name));
      this.#terminationReasons.set(
        name,
        terminationErrors.sharedCatalogsFull(name, this.#limits),
        this.#limits.closedMs,
      );
      this.#closedUntil.set(oid, performance.now() + this.#limits.closedMs);
    }
  }

  async #terminateSlowListeners(): Promise<void> {
    const { rows } = await queryKeepingConnection<{ pid: number; name: string }>(
      this.#pool,
      this.#queries.slowListeners,
      [maxQueueUsage],
    );
    if (rows.length === 0) return;
    for (const { name } of rows) this.#terminationReasons.set(name, terminationErrors.slowListener(name));
    const [pids, names] = [rows.map(({ pid }) => pid), rows.map(({ name }) => name)];
    await queryKeepingConnection(this.#pool, terminateSessionsQuery, [pids, names]);
  }

  #updateFairLimits(usages: readonly DatabaseUsage[]): void {
    const { sharedConnectionThreshold } = this.#limits;
    const totalSessionCount = usages.reduce((sum, { sessions }) => sum + sessions, 0);
    if (totalSessionCount > sharedConnectionThreshold) {
      const sharedUsages = usages.map(({ oid, name, sessions }): [number, Usage] => [
        oid,
        { workspace: this.#workspaces.get(name), amount: sessions },
      ]);
      this.#fairLimits = computeFairLimits(new Map(sharedUsages), sharedConnectionThreshold);
    }
    // Hysteresis: if the limits were raised at the threshold, the databases would exceed it again immediately.
    else if (totalSessionCount < sharedConnectionThreshold * 0.75) this.#fairLimits = undefined;
  }

  #getCurrentLimit(oid: number): number {
    const closedUntil = this.#closedUntil.get(oid) ?? 0;
    if (closedUntil > performance.now()) return 0;
    this.#closedUntil.delete(oid);
    const { perWorkspace, perDatabase } = this.#fairLimits ?? {};
    const limit = perDatabase?.get(oid) ?? perWorkspace ?? Infinity;
    return Math.min(limit, this.#limits.connectionsPerDatabase);
  }

  #setLimit({ name, targetLimit }: { name: string; targetLimit: number }): Promise<void> {
    // `tryScript` does not wait for a tenant that has locked its database, which would delay the next check.
    return this.#admin.memberships.runWith([name], () =>
      this.#admin.tryScript([
        `alter database ${quoteIdentifier(name)} connection limit ${String(targetLimit)}`,
      ]),
    );
  }
}

const hasSessions = (usages: readonly DatabaseUsage[]): boolean =>
  usages.some(({ sessions }) => sessions > 0);

const formatTooLargeMessage = (name: string): string =>
  `The database ${name} uses too much memory and accepts no connections. Restore a backup or delete it`;

const formatSharedCatalogsMessage = (name: string): string =>
  `The database ${name} has filled catalogs that all databases share, and is closed for a while. Its largest comments and settings are removed`;
