import { setTimeout as sleep } from "node:timers/promises";
import {
  type AdminConnection,
  type UnresponsiveSessions,
  isMissingDatabaseError,
  quoteIdentifier,
} from "./admin-connection.js";
import type { CurrentEndReasons } from "./end-reasons.js";
import { sessionEndErrors } from "./login-refused.js";

/** Time between looks whether sessions have ended, in milliseconds. */
const pollIntervalMs = 1_000;

/**
 * Keeps databases closed that have sessions which ignore their end, until these sessions have ended: their tenants can start no more of
 * them. Kills the processes of the sessions if the platform can, but not before the work that found them can tell its result: Postgres
 * restarts then.
 */
export class Quarantine {
  readonly #admin: AdminConnection;
  readonly #endReasons: CurrentEndReasons;
  readonly #onEnd: () => void;
  readonly #report: (problem: string) => void;
  readonly #pidsByDatabase = new Map<string, Set<number>>();
  readonly #runs = new Set<Promise<void>>();
  readonly #closeController = new AbortController();

  /**
   * @param options.onEnd called when databases can be opened again.
   * @param options.report receives messages for the operator.
   */
  constructor(
    admin: AdminConnection,
    endReasons: CurrentEndReasons,
    { onEnd, report }: { onEnd: () => void; report: (problem: string) => void },
  ) {
    this.#admin = admin;
    this.#endReasons = endReasons;
    this.#onEnd = onEnd;
    this.#report = report;
    admin.onUnresponsive = (sessions) => this.#add(sessions);
  }

  /** Returns whether a database has to stay closed. */
  has(database: string): boolean {
    return this.#pidsByDatabase.has(database);
  }

  async close(): Promise<void> {
    this.#closeController.abort();
    await Promise.all(this.#runs);
  }

  #add({ database, pids }: UnresponsiveSessions): void {
    const knownPids = this.#pidsByDatabase.get(database);
    if (knownPids !== undefined) {
      for (const pid of pids) knownPids.add(pid);
      return;
    }
    this.#pidsByDatabase.set(database, new Set(pids));
    const run = this.#keepClosed(database).finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  async #keepClosed(database: string): Promise<void> {
    const { signal } = this.#closeController;
    const { killProcesses } = this.#admin.cluster;
    const reportedPids = new Set<number>();
    this.#endReasons.set(database, sessionEndErrors.unresponsive(database), Infinity);
    for (let isFirstLook = true; !signal.aborted; isFirstLook = false) {
      const pids = await this.#closeAndLook(database);
      if (pids?.length === 0) break;
      // Not at the first look, so that the work that found the sessions can tell its result. Only what Postgres has just listed: the system
      // may have given the number of a process that has ended to another one.
      if (!isFirstLook && pids !== undefined) {
        killProcesses?.(pids);
        const newPids = pids.filter((pid) => !reportedPids.has(pid));
        for (const pid of newPids) reportedPids.add(pid);
        if (newPids.length > 0) this.#report(formatProblem(database, newPids, killProcesses !== undefined));
      }
      await sleep(pollIntervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.#pidsByDatabase.delete(database);
    this.#endReasons.set(database, sessionEndErrors.unresponsive(database), 0);
    this.#onEnd();
  }

  /**
   * Closes the database, and forgets the sessions that have ended. Returns the process ids of the others; undefined when Postgres cannot be
   * asked.
   */
  async #closeAndLook(database: string): Promise<number[] | undefined> {
    try {
      await this.#admin.runScript([`alter database ${quoteIdentifier(database)} allow_connections false`]);
      const sessions = await this.#admin.query<{ pid: number }>(
        `${this.#admin.cluster.endSessionsQuery} and datname = $1`,
        [database],
      );
      const livingPids = new Set(sessions.map(({ pid }) => pid));
      const pids = this.#pidsByDatabase.get(database) ?? new Set();
      for (const pid of pids) if (!livingPids.has(pid)) pids.delete(pid);
      return [...pids];
    } catch (error) {
      // Postgres may be restarting.
      return isMissingDatabaseError(error) ? [] : undefined;
    }
  }
}

const formatProblem = (database: string, pids: readonly number[], areKilled: boolean): string =>
  areKilled
    ? `Sessions of the database ${database} do not end. Postgres restarts, because their processes are killed: ${pids.join(", ")}`
    : `Sessions of the database ${database} do not end, and it is closed meanwhile. Kill their processes: ${pids.join(", ")}`;
