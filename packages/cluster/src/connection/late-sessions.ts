import { setTimeout as sleep } from "node:timers/promises";
import type { AdminConnection } from "./admin-connection.js";
import { startingSessionsFromSql } from "./role-sessions.js";

/** Interval between checks, in milliseconds. */
const pollIntervalMs = 200;

/** Sessions that were starting when the password of a role changed, and may still log in with the previous one. */
interface LateSessions {
  readonly role: string;
  pids: readonly number[];
  /** The sessions that may have started as the role, until `onStarted` succeeds. */
  startedPids: readonly number[];
  readonly onStarted: (startedPids: readonly number[]) => Promise<void>;
}

/**
 * Monitors sessions that did not complete their login before the password of a role changed. Postgres has compared the password that they
 * send with the one that the role had when they began. Postgres aborts logins that take too long.
 */
export class LateSessionMonitor {
  readonly #admin: AdminConnection;
  readonly #closeController = new AbortController();
  #entries: LateSessions[] = [];
  #pendingRun: Promise<void> | undefined;

  constructor(admin: AdminConnection) {
    this.#admin = admin;
  }

  /**
   * Monitors these sessions until they have started or failed.
   *
   * @param onStarted called with the sessions that have started as the role, and those that have exited since and may have. Called again while
   * it fails.
   */
  add(role: string, pids: readonly number[], onStarted: LateSessions["onStarted"]): void {
    if (pids.length === 0) return;
    this.#entries.push({ role, pids, startedPids: [], onStarted });
    this.#pendingRun ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closeController.abort();
    await this.#pendingRun;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closeController;
    while (this.#entries.length > 0 && !signal.aborted) {
      await sleep(pollIntervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.#check().catch(() => undefined);
    }
    this.#pendingRun = undefined;
  }

  async #check(): Promise<void> {
    // Entries that are added during the check are left to the next one.
    const entries = [...this.#entries];
    const rows = await this.#admin.query<{ pid: number; role: string | null }>(
      `select l.pid, null as role ${startingSessionsFromSql} and l.pid = any ($1)
        union all select pid, usename from pg_stat_activity where pid = any ($1) and usename is not null`,
      [entries.flatMap(({ pids }) => pids)],
    );
    const roles = new Map(rows.map(({ pid, role }) => [pid, role]));
    const isStarting = (pid: number): boolean => roles.get(pid) === null;
    for (const entry of entries) {
      const startedPids = entry.pids.filter(
        (pid) => !isStarting(pid) && (roles.get(pid) ?? entry.role) === entry.role,
      );
      entry.startedPids = [...entry.startedPids, ...startedPids];
      entry.pids = entry.pids.filter(isStarting);
      if (entry.startedPids.length > 0) await entry.onStarted(entry.startedPids);
      entry.startedPids = [];
    }
    this.#entries = this.#entries.filter(({ pids }) => pids.length > 0);
  }
}
