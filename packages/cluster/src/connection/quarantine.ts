import { setTimeout as sleep } from "node:timers/promises";
import {
  type AdminConnection,
  type UnresponsiveSessions,
  invalidDatabaseCondition,
  quoteIdentifier,
} from "./admin-connection.js";
import type { TerminationReasons } from "./termination-reasons.js";
import { terminationErrors } from "./login-rejected.js";

/** Interval between checks whether sessions are terminated, in milliseconds. */
const pollIntervalMs = 1_000;

/**
 * How long a database stays closed after one of its sessions had to be killed, in milliseconds. The time doubles with each earlier kill
 * within `memory`.
 */
const closedMs = { first: 60_000, max: 3_600_000, memory: 6 * 3_600_000 };

/** A database that accepts no connections until its sessions are terminated. */
interface ClosedDatabase {
  /** The process ids of the sessions that do not react to their termination. */
  readonly pids: Set<number>;
  /** The earliest time at which it may be opened, of `performance.now()`, which is independent of changes of the clock. */
  closedUntil: number;
}

/** How often sessions of a database were killed. */
interface KillHistory {
  count: number;
  /** The time of the last kill: a time of `performance.now()`. */
  lastKilledAt: number;
}

interface SessionCheck {
  /** Whether it is a database of the installation. */
  isOwn: boolean;
  /** The process ids of the sessions that still do not react to their termination. */
  pids: number[];
}

/**
 * Keeps a database closed while it has sessions that do not react to their termination, so that its tenant cannot start more of them. Kills
 * the processes of these sessions if the platform can. Postgres then restarts, so the work that found the sessions may report its result
 * first. A database for which this was necessary stays closed for a while, and for longer each time. Databases that do not belong to the
 * installation are not changed.
 */
export class Quarantine {
  readonly #admin: AdminConnection;
  readonly #terminationReasons: TerminationReasons;
  readonly #report: (problem: string) => void;
  readonly #closedDatabases = new Map<string, ClosedDatabase>();
  readonly #killsByDatabase = new Map<string, KillHistory>();
  readonly #runs = new Set<Promise<void>>();
  readonly #closeController = new AbortController();
  /** Called when a database can be opened again. */
  onReopen: (database: string) => void = () => undefined;

  /** @param report receives messages for the operator. */
  constructor(
    admin: AdminConnection,
    terminationReasons: TerminationReasons,
    report: (problem: string) => void = () => undefined,
  ) {
    this.#admin = admin;
    this.#terminationReasons = terminationReasons;
    this.#report = report;
    admin.onUnresponsive = (sessions) => this.#add(sessions);
  }

  /** Returns whether a database has to stay closed. */
  has(database: string): boolean {
    return this.#closedDatabases.has(database);
  }

  async close(): Promise<void> {
    this.#closeController.abort();
    await Promise.all(this.#runs);
  }

  #add({ database, pids }: UnresponsiveSessions): void {
    const closedDatabase = this.#closedDatabases.get(database);
    if (closedDatabase !== undefined) {
      for (const pid of pids) closedDatabase.pids.add(pid);
      return;
    }
    const newDatabase = { pids: new Set(pids), closedUntil: -Infinity };
    this.#closedDatabases.set(database, newDatabase);
    const run = this.#closeUntilTerminated(database, newDatabase).finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  async #closeUntilTerminated(database: string, closedDatabase: ClosedDatabase): Promise<void> {
    const { signal } = this.#closeController;
    const reportedPids = new Set<number>();
    this.#terminationReasons.set(database, terminationErrors.unresponsive(database), Infinity);
    for (let isFirstCheck = true; !signal.aborted; isFirstCheck = false) {
      // Postgres may be restarting.
      const check = await this.#closeAndCheck(database, closedDatabase.pids).catch(() => undefined);
      const hasClosedLongEnough = performance.now() >= closedDatabase.closedUntil;
      if (check?.pids.length === 0 && (hasClosedLongEnough || !check.isOwn)) break;
      // Not at the first check, so that the work that found the sessions can report its result. Only processes that Postgres has just
      // listed: the system may have reused the id of a process that has exited.
      if (!isFirstCheck && check !== undefined && check.pids.length > 0) {
        const newPids = check.pids.filter((pid) => !reportedPids.has(pid));
        for (const pid of newPids) reportedPids.add(pid);
        this.#kill(database, closedDatabase, check, newPids);
      }
      await sleep(pollIntervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.#closedDatabases.delete(database);
    this.#terminationReasons.set(database, terminationErrors.unresponsive(database), 0);
    this.onReopen(database);
  }

  /**
   * Kills the sessions if the platform can. Otherwise, the operator has to.
   *
   * @param newPids the process ids that are not reported yet.
   */
  #kill(
    database: string,
    closedDatabase: ClosedDatabase,
    { isOwn, pids }: SessionCheck,
    newPids: readonly number[],
  ): void {
    const { killProcesses } = this.#admin.cluster;
    if (!isOwn || killProcesses === undefined) {
      if (newPids.length > 0) this.#report(formatProblem(database, newPids, isOwn));
      return;
    }
    if (newPids.length > 0) {
      const closedForMs = this.#countKill(database);
      closedDatabase.closedUntil = performance.now() + closedForMs;
      this.#terminationReasons.set(database, terminationErrors.killed(database, closedForMs), Infinity);
      this.#report(formatKill(database, newPids, closedForMs));
    }
    killProcesses(pids);
  }

  /** Records a kill, and returns how long the database stays closed after it, in milliseconds. */
  #countKill(database: string): number {
    const now = performance.now();
    for (const [name, { lastKilledAt }] of this.#killsByDatabase)
      if (now - lastKilledAt >= closedMs.memory) this.#killsByDatabase.delete(name);
    const count = (this.#killsByDatabase.get(database)?.count ?? 0) + 1;
    this.#killsByDatabase.set(database, { count, lastKilledAt: now });
    return Math.min(closedMs.max, closedMs.first * 2 ** (count - 1));
  }

  /** Closes a database of the installation, and removes terminated sessions from `pids`. */
  async #closeAndCheck(name: string, pids: Set<number>): Promise<SessionCheck> {
    const { sessionTerminationQuery, installation } = this.#admin.cluster;
    const [database] = await this.#admin.query<{ isClosed: boolean; isOwn: boolean }>(
      `select not datallowconn or ${invalidDatabaseCondition} as "isClosed", ${installation.platformDatabaseCondition} as "isOwn"
        from pg_database d where datname = $1`,
      [name],
    );
    if (database === undefined) return { isOwn: false, pids: [] };
    const { isClosed, isOwn } = database;
    // No one can connect to an invalid database, and Postgres does not alter it.
    if (isOwn && !isClosed)
      await this.#admin.runScriptAsOwner(name, [
        `alter database ${quoteIdentifier(name)} allow_connections false`,
      ]);
    const sessions = await this.#admin.query<{ pid: number }>(
      `${sessionTerminationQuery} and datname = $1 and pid = any ($2)`,
      [name, [...pids]],
    );
    const remainingPids = new Set(sessions.map(({ pid }) => pid));
    for (const pid of pids) if (!remainingPids.has(pid)) pids.delete(pid);
    return { isOwn, pids: [...pids] };
  }
}

const formatKill = (database: string, pids: readonly number[], closedForMs: number): string =>
  `Sessions of the database ${database} do not end. Postgres restarts, because their processes are killed: ${pids.join(", ")}. ` +
  `The database stays closed for ${String(closedForMs / 60_000)} minutes`;

const formatProblem = (database: string, pids: readonly number[], isClosed: boolean): string =>
  `Sessions of the database ${database} do not end${isClosed ? ", and it is closed meanwhile" : ""}. Kill their processes: ${pids.join(", ")}`;
