import type { ClientConfig, Pool } from "pg";
import { isOurRole } from "../policy/ownership.js";
import { openPool } from "./pool.js";

/** How long statements of the platform wait for locks before the sessions that hold them are ended, in milliseconds. */
const patience = 250;

/**
 * Ends the sessions of tenants that hold a lock for which a statement of the platform waits. `DROP DATABASE` also waits until
 * each session of the server has closed its files, which a session does not do while it sends data that its client does not read.
 */
const endBlockers = `
  select pg_terminate_backend(s.pid)
  from pg_stat_activity s
  join pg_roles r on r.oid = s.usesysid and ${isOurRole}
  where s.pid in (
      select unnest(pg_blocking_pids(a.pid)) from pg_stat_activity a
      where a.usename = current_user and a.wait_event_type = 'Lock')
    or (s.wait_event = 'ClientWrite' and exists (
      select from pg_stat_activity a where a.usename = current_user and a.wait_event = 'ProcSignalBarrier'))`;

/**
 * Keeps tenants from stalling the platform. A tenant can hold locks that statements of the platform need: on its own role and
 * database, whose rows all databases share, and on its tables. It can also stop reading.
 */
export class Blockers {
  readonly #pool: Pool;
  #statements = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param address where to connect to, with a connection that other work cannot take. */
  constructor(address: ClientConfig) {
    this.#pool = openPool({ ...address, max: 1, idleTimeoutMillis: 1_000 });
  }

  /** Runs statements, and ends the sessions that block them. */
  async during<T>(statements: () => Promise<T>): Promise<T> {
    this.#statements += 1;
    this.#timer ??= setInterval(() => void this.#pool.query(endBlockers).catch(() => undefined), patience);
    try {
      return await statements();
    } finally {
      this.#statements -= 1;
      if (this.#statements === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pool.end();
  }
}
