import type { ClientConfig, Pool } from "pg";
import type { Installation } from "../policy/installation.js";
import { openPool } from "./pool.js";

/** How long statements of the platform wait for locks before the sessions that hold them are terminated, in milliseconds. */
const lockWaitMs = 250;

/**
 * Terminates the sessions of tenants that hold a lock for which a statement of the platform waits. `DROP DATABASE` also waits until
 * each session of the server has closed its files, which a session does not do while it sends data that its client does not read.
 */
const buildTerminateBlockersQuery = ({ platformRoleCondition }: Installation): string => `
  select pg_terminate_backend(s.pid)
  from pg_stat_activity s
  join pg_roles r on r.oid = s.usesysid and ${platformRoleCondition}
  where s.pid in (
      select unnest(pg_blocking_pids(a.pid)) from pg_stat_activity a
      where a.usename = current_user and a.wait_event_type = 'Lock')
    or (s.wait_event = 'ClientWrite' and exists (
      select from pg_stat_activity a where a.usename = current_user and a.wait_event = 'ProcSignalBarrier'))`;

/**
 * Keeps tenants from stalling the platform. A tenant can hold locks that statements of the platform need: on its own role and database,
 * whose rows all databases share, and on its tables. A tenant can also stop reading its results.
 */
export class BlockerTerminator {
  readonly #pool: Pool;
  readonly #terminateBlockersQuery: string;
  #runningStatementCount = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param address the address of Postgres. The terminator has a connection that other work cannot occupy. */
  constructor(address: ClientConfig, installation: Installation) {
    this.#terminateBlockersQuery = buildTerminateBlockersQuery(installation);
    this.#pool = openPool({ ...address, max: 1, idleTimeoutMillis: 1_000 });
  }

  /** Runs statements, and terminates the sessions that block them. */
  async runEndingBlockers<T>(callback: () => Promise<T>): Promise<T> {
    this.#runningStatementCount += 1;
    this.#timer ??= setInterval(
      () => void this.#pool.query(this.#terminateBlockersQuery).catch(() => undefined),
      lockWaitMs,
    );
    try {
      return await callback();
    } finally {
      this.#runningStatementCount -= 1;
      if (this.#runningStatementCount === 0) {
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
