import { DatabaseError, type Pool } from "pg";
import { connectionLimits } from "../connection/connection-limits.js";
import { type Admin, identifier } from "../connection/admin.js";
import { fairLimit } from "./fair-limit.js";
import { type MemoryLimits, MemoryWatch } from "./memory-watch.js";
import { isOfTenant, isOurRole } from "../policy/ownership.js";
import { EndReasons } from "../connection/end-reasons.js";
import { endReasons } from "../connection/login-refused.js";
import { openPool, queryOnKept } from "../connection/pool.js";

export interface TenantLimits {
  /** Maximum number of connections of one database. */
  perDatabase: number;
  /** Databases get fewer connections while they have more than this together. */
  crowded: number;
  /** Maximum number of locks of all tenants together. */
  locks: number;
  /** How long a database stays closed after its sessions held the most locks, in milliseconds. */
  penalty: number;
  /** Limits for databases in memory. Default: none, for databases on a disk. */
  memory?: MemoryLimits | undefined;
}

/** Leaves a fifth of the connections to databases that have few, and allows half of the locks that Postgres has room for. */
const defaults: TenantLimits = {
  perDatabase: connectionLimits.perDatabase,
  crowded: connectionLimits.total * 0.8,
  locks: connectionLimits.total * 32,
  penalty: 60_000,
};

/** Milliseconds between checks while tenants have sessions, and while they have none. */
const intervals = { used: 250, unused: 1_000 };

/** Share of the notification queue that may be in use. All databases use the same queue. */
const fullQueue = 0.25;

/** The locks of a session. */
interface HeldLocks {
  /** Oid of its database. */
  database: number;
  pid: number;
  locks: number;
}

interface Usage {
  oid: number;
  name: string;
  limit: number;
  sessions: number;
}

const findUsage = `
  select d.oid, d.datname as name, d.datconnlimit as limit, count(a.pid)::integer as sessions
  from pg_database d
  left join pg_stat_activity a on a.datid = d.oid and a.backend_type = 'client backend'
    and exists (select from pg_roles r where r.oid = a.usesysid and ${isOurRole})
  where (d.datconnlimit not in ($1, -2) or a.pid is not null or d.oid = any ($2))
    and ${isOfTenant}
  group by 1, 2, 3`;

const endNewest = `
  select pg_terminate_backend(newest.pid) from (
    select a.pid from pg_stat_activity a join pg_roles r on r.oid = a.usesysid and ${isOurRole}
    where a.datname = $1 order by a.backend_start offset $2
  ) newest`;

/** Succeeds for one session at a time, each time. Tenants cannot take the lock, because each database has locks of its own. */
const lead = "select pg_try_advisory_lock(hashtextextended('mgmt tenant guard', 0)) as leads";

/** Finds the listeners that have not read for a second: those in a transaction, and those whose client does not read. */
const findSlowListeners = `
  select a.pid, a.datname as name
  from pg_stat_activity a join pg_roles r on r.oid = a.usesysid and ${isOurRole}
  where (a.xact_start < now() - interval '1 second' or a.wait_event = 'ClientWrite') and pg_notification_queue_usage() > $1`;

/** Ends sessions by process id, unless the id belongs to another database by now. */
const endSessions = `
  select pg_terminate_backend(a.pid) from pg_stat_activity a
  join unnest($1::integer[], $2::text[]) as ended (pid, name) on ended.pid = a.pid and ended.name = a.datname`;

/**
 * Keeps tenants from using up the resources that all databases of a server share and Postgres cannot limit per database: connections,
 * locks, and the notification queue. Also restores the connection limits of databases, which their owners can change. Of several processes
 * on one server, one applies the limits, until it ends.
 */
export class TenantGuard {
  readonly #admin: Admin;
  readonly #limits: TenantLimits;
  readonly #report: (problem: string) => void;
  readonly #reasons: EndReasons;
  readonly #pool: Pool;
  /** Names of the databases with sessions, by oid, at the last check. They cannot be looked up while no lock is left. */
  readonly #names = new Map<number, string>();
  /** Until when a database is closed, by oid: a time of `performance.now()`, which a change of the clock does not move. */
  readonly #closedUntil = new Map<number, number>();
  /** Oids of databases that are closed because they use too much memory. */
  readonly #large = new Set<number>();
  readonly #memory: MemoryWatch | undefined;
  /** The limit while there are many connections. */
  #crowdedLimit: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #isClosed = false;

  /**
   * @param options.report receives a message about each database that is closed because it uses too much memory.
   * @param options.reasons receives why sessions are ended.
   */
  constructor(
    admin: Admin,
    limits: Partial<TenantLimits>,
    {
      report = () => undefined,
      reasons = new EndReasons(),
    }: { report?: ((problem: string) => void) | undefined; reasons?: EndReasons } = {},
  ) {
    this.#admin = admin;
    this.#limits = { ...defaults, ...limits };
    this.#report = report;
    this.#reasons = reasons;
    // A connection of its own, which other work cannot occupy.
    this.#pool = openPool({ ...admin.address, max: 1 });
    const { memory } = this.#limits;
    this.#memory = memory && new MemoryWatch(memory, this.#pool);
  }

  /** Checks now, and then regularly. */
  async open(): Promise<void> {
    const isUsed = await this.#checkOnce();
    if (this.#isClosed) return;
    const next = (): void => {
      this.#checking = this.open();
    };
    this.#timer = setTimeout(next, isUsed ? intervals.used : intervals.unused).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#checking;
    await this.#pool.end();
  }

  /** Returns whether tenants have sessions. */
  async #checkOnce(): Promise<boolean> {
    try {
      return await this.check();
    } catch {
      // Postgres is not running, or refuses a change because a database is being dropped. The next check tries again.
      return true;
    }
  }

  /** Applies all limits, unless another process does. Returns whether tenants have sessions. */
  async check(): Promise<boolean> {
    if (!(await this.#leads())) return false;
    await this.#endHolderOfLocks();
    await this.#closeLarge();
    const { rows: usages } = await queryOnKept<Usage>(this.#pool, findUsage, [
      this.#limits.perDatabase,
      [...this.#closedUntil.keys()],
    ]);
    const present = new Set(usages.map(({ oid }) => oid));
    this.#names.clear();
    for (const { oid, name } of usages) this.#names.set(oid, name);
    for (const oid of this.#closedUntil.keys()) if (!present.has(oid)) this.#closedUntil.delete(oid);
    if (usages.length === 0) return false;
    this.#adaptToCrowd(usages);
    const wanted = usages.map((usage) => ({ ...usage, wanted: this.#limitOf(usage.oid) }));
    for (const { name, sessions, wanted: limit } of wanted) {
      if (sessions <= limit) continue;
      if (limit > 0) this.#reasons.note(name, endReasons.crowded(name, limit));
      await queryOnKept(this.#pool, endNewest, [name, limit]);
    }
    await this.#endSlowListeners();
    // A database that is being dropped must not prevent the change of others.
    await Promise.allSettled(
      wanted.filter((usage) => usage.limit !== usage.wanted).map((usage) => this.#setLimit(usage)),
    );
    return usages.some(({ sessions }) => sessions > 0);
  }

  /** Returns whether this process applies the limits. */
  async #leads(): Promise<boolean> {
    try {
      const { rows } = await queryOnKept<{ leads: boolean }>(this.#pool, lead);
      return rows.some(({ leads }) => leads);
    } catch (error) {
      // The tenants have all locks, and the process that applied the limits has ended.
      if (error instanceof DatabaseError && error.code === "53200") return true;
      throw error;
    }
  }

  /** If there are too many locks, ends the sessions of the database that holds the most, and closes it for a while. */
  async #endHolderOfLocks(): Promise<void> {
    const { cluster } = this.#admin;
    const { rows } = await queryOnKept<HeldLocks>(this.#pool, cluster.findLocks);
    const byDatabase = new Map<number, number>();
    for (const { database, locks } of rows) byDatabase.set(database, (byDatabase.get(database) ?? 0) + locks);
    const [worst] = [...byDatabase].toSorted(([, left], [, right]) => right - left);
    const total = rows.reduce((sum, { locks }) => sum + locks, 0);
    if (worst === undefined || total <= this.#limits.locks) return;
    this.#closedUntil.set(worst[0], performance.now() + this.#limits.penalty);
    const name = this.#names.get(worst[0]);
    if (name !== undefined) {
      this.#reasons.note(name, endReasons.tooManyLocks(name, this.#limits), this.#limits.penalty);
    }
    const sessions = rows.filter(({ database }) => database === worst[0]).map(({ pid }) => pid);
    await cluster.endNow(sessions, (text, values) => queryOnKept(this.#pool, text, values));
  }

  /** Closes databases that use too much memory, until they use less. */
  async #closeLarge(): Promise<void> {
    const isDue = [...this.#large].some((oid) => (this.#closedUntil.get(oid) ?? 0) <= performance.now());
    // The lookup fails while a database is being dropped. The next check tries again.
    const largeDatabases = await this.#memory?.findLarge(isDue).catch(() => undefined);
    if (largeDatabases === undefined) return;
    if (isDue) this.#large.clear();
    for (const { oid, name } of largeDatabases) {
      if (!this.#closedUntil.has(oid)) this.#report(tooLarge(name));
      this.#reasons.note(name, endReasons.tooLarge(name), this.#limits.penalty);
      this.#closedUntil.set(oid, performance.now() + this.#limits.penalty);
      this.#large.add(oid);
    }
  }

  async #endSlowListeners(): Promise<void> {
    const { rows } = await queryOnKept<{ pid: number; name: string }>(this.#pool, findSlowListeners, [
      fullQueue,
    ]);
    if (rows.length === 0) return;
    for (const { name } of rows) this.#reasons.note(name, endReasons.slowListener(name));
    const [pids, names] = [rows.map(({ pid }) => pid), rows.map(({ name }) => name)];
    await queryOnKept(this.#pool, endSessions, [pids, names]);
  }

  #adaptToCrowd(usages: readonly Usage[]): void {
    const { crowded } = this.#limits;
    const sessions = usages.map((usage) => usage.sessions);
    const total = sessions.reduce((sum, count) => sum + count, 0);
    if (total > crowded) this.#crowdedLimit = fairLimit(sessions, crowded);
    // Raising the limit as soon as there is room would only make the databases fill it again.
    else if (total < crowded * 0.75) this.#crowdedLimit = undefined;
  }

  #limitOf(oid: number): number {
    const closedUntil = this.#closedUntil.get(oid) ?? 0;
    if (closedUntil > performance.now()) return 0;
    this.#closedUntil.delete(oid);
    return this.#crowdedLimit ?? this.#limits.perDatabase;
  }

  #setLimit({ name, wanted }: { name: string; wanted: number }): Promise<void> {
    return this.#admin.script([`alter database ${identifier(name)} connection limit ${String(wanted)}`]);
  }
}

const tooLarge = (name: string): string =>
  `The database ${name} uses too much memory and accepts no connections. Restore a backup or delete it`;
