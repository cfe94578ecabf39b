import { setTimeout as sleep } from "node:timers/promises";
import type { Sessions } from "@mgmt/engine/internal";
import type { ApiDatabase } from "./reconcile.js";

/** Which databases are checked, and how they are repaired. */
export interface PeriodicRepairerOptions {
  readonly sessions: Pick<Sessions, "runExclusively">;
  /** Ids of databases whose logins are not checked yet. */
  readonly pendingIds: readonly string[];
  /** Returns a database as the records have it now, or undefined if they no longer contain it. */
  readonly readDatabase: (id: string) => Promise<ApiDatabase | undefined>;
  readonly repair: (database: ApiDatabase) => Promise<void>;
  /** Cleans up after interrupted work of other processes. */
  readonly cleanUp: () => Promise<void>;
  /** Receives a message about each database that could not be repaired, once. */
  readonly onLog: (line: string) => void;
  /** Time between rounds, in milliseconds. Default: 20000. */
  readonly intervalMs?: number;
}

/**
 * Repairs databases while the server answers requests, and regularly cleans up after interrupted work of other processes. Reads each database
 * again under its lock.
 */
export class PeriodicRepairer {
  readonly #options: PeriodicRepairerOptions;
  readonly #closeController = new AbortController();
  readonly #pendingIds: Set<string>;
  readonly #reportedIds = new Set<string>();
  readonly #running: Promise<void>;

  constructor(options: PeriodicRepairerOptions) {
    this.#options = options;
    this.#pendingIds = new Set(options.pendingIds);
    this.#running = this.#run();
  }

  /** Starts no more work. Resolves when the current work is done. */
  async close(): Promise<void> {
    this.#closeController.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closeController;
    const { intervalMs = 20_000 } = this.#options;
    while (!signal.aborted) {
      // Sequentially, so that repairs do not occupy the connections and processors that requests need.
      await this.#repairPending();
      // Postgres may be unreachable. The next round tries again.
      if (!signal.aborted) await this.#options.cleanUp().catch(() => undefined);
      // Random, so that several processes do not start their rounds at the same time.
      const delayMs = intervalMs * (0.75 + Math.random() / 2);
      await sleep(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Repairs databases one after the other. Those that fail wait for the next round. */
  async #repairPending(): Promise<void> {
    const { sessions, readDatabase, repair, onLog } = this.#options;
    const failedIds: string[] = [];
    for (let id = this.#dequeuePendingId(); id !== undefined; id = this.#dequeuePendingId()) {
      const databaseId = id;
      try {
        await sessions.runExclusively([`database ${databaseId}`], async () => {
          const database = await readDatabase(databaseId);
          if (database !== undefined) await repair(database);
        });
      } catch (error) {
        failedIds.push(databaseId);
        if (!this.#reportedIds.has(databaseId))
          onLog(`The database ${databaseId} could not be repaired yet: ${String(error)}`);
        this.#reportedIds.add(databaseId);
      }
    }
    for (const id of failedIds) this.#pendingIds.add(id);
  }

  #dequeuePendingId(): string | undefined {
    if (this.#closeController.signal.aborted) return undefined;
    const [id] = this.#pendingIds;
    if (id !== undefined) this.#pendingIds.delete(id);
    return id;
  }
}
