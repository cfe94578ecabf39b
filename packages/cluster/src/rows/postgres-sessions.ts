import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { FairSemaphore, LockLostError, type Sessions, type WorkLock } from "@mgmt/engine/internal";
import { KeyedMutex } from "@mgmt/internal/values/keyed-mutex";
import { Client, type QueryResultRow } from "pg";
import { connectClient } from "../connection/connect-client.js";
import { isConnectionLossError } from "./commit-outcome.js";
import { retryWhileFull } from "../connection/retry-while-full.js";
import type { ConnectionConfig } from "../policy/address.js";
import type { Installation } from "../policy/installation.js";
import { toStorageError } from "./postgres-storage-adapter.js";

/** Milliseconds between attempts to take a lock that another process holds, or to connect again. */
const retryDelayMs = 50;

/**
 * The advisory lock of the processes of one installation. A process with a session shares it, and a process that holds it exclusively is
 * the only one. Tenants cannot take the lock, because each database has locks of its own.
 */
const presenceLockName = "presence";

/** A Postgres session that runs one statement at a time. */
class LockSession implements WorkLock {
  readonly #client: Client;
  readonly #lossController = new AbortController();
  readonly #semaphore = new FairSemaphore({ maxTotal: 1 });
  #closing: Promise<void> | undefined;

  constructor(
    readonly id: string,
    client: Client,
  ) {
    this.#client = client;
    // All work in progress listens.
    setMaxListeners(0, this.signal);
  }

  get signal(): AbortSignal {
    return this.#lossController.signal;
  }

  /** A session that runs a statement has not ended, so it holds its locks. */
  async confirm(): Promise<void> {
    this.signal.throwIfAborted();
    try {
      await this.query("select");
    } catch (error) {
      throw new LockLostError(error);
    }
    // The driver may read the response together with the end of the session, and reports the end first.
    this.signal.throwIfAborted();
  }

  /** Tells the work in progress that its locks are lost. */
  reportLost(cause: unknown): void {
    this.#lossController.abort(new LockLostError(cause));
  }

  query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#semaphore.run("", () => this.#runStatement<Row>(text, values));
  }

  async #runStatement<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      return (await this.#client.query<Row>(text, [...values])).rows;
    } catch (error) {
      // A statement that gets no response may take a lock that is never released. The end of the session releases it.
      if (isConnectionLossError(error)) void this.close().catch(() => undefined);
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#client.end();
    return this.#closing;
  }
}

/**
 * Keeps one connection per process, which holds the locks of the process. When the process ends, Postgres terminates the session
 * and releases the locks. A lost connection is replaced immediately, so that others see the process, and a new session first waits for a
 * process that repairs databases while no other works.
 */
export class PostgresSessions implements Sessions {
  readonly #config: ConnectionConfig;
  readonly #installation: Installation;
  readonly #presenceKey: string;
  readonly #mutex = new KeyedMutex();
  #session: Promise<LockSession> | undefined;
  #isClosed = false;

  constructor(config: ConnectionConfig, installation: Installation) {
    this.#config = config;
    this.#installation = installation;
    this.#presenceKey = installation.toLockKey(presenceLockName);
  }

  /**
   * Opens the first session. If no other process has one, runs the callback before, for which the sessions of others wait.
   *
   * @returns the result of the callback; undefined if another process has a session.
   * @throws the error of the callback; DatabaseUnavailableError.
   */
  async enter<T>(callbackWhenAlone: () => Promise<T>): Promise<T | undefined> {
    let result: Promise<T> | undefined;
    const enterPresence = async (client: Client): Promise<void> => {
      for (; ; await sleep(retryDelayMs)) {
        if (await tryLock(client, `pg_try_advisory_lock(${this.#presenceKey})`)) {
          result = callbackWhenAlone();
          await result;
          await client.query(
            `select pg_advisory_lock_shared(${this.#presenceKey}), pg_advisory_unlock(${this.#presenceKey})`,
          );
          return;
        }
        // Fails while another process has exclusive access. The loop tries both locks, because that process may end before its work is done.
        if (await tryLock(client, `pg_try_advisory_lock_shared(${this.#presenceKey})`)) return;
      }
    };
    try {
      await this.#openSession(enterPresence);
    } catch (error) {
      await result;
      throw error;
    }
    return result;
  }

  async getCurrentId(): Promise<string> {
    return (await this.#openSession()).id;
  }

  async selectLive(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const session = await this.#openSession();
    try {
      const rows = await session.query<{ id: string }>(
        `select id from unnest($1::text[]) id where id in (select ${sessionIdSql} from pg_stat_activity)`,
        [ids],
      );
      return new Set(rows.map(({ id }) => id));
    } catch (error) {
      throw toStorageError(error);
    }
  }

  runExclusively<T>(names: readonly string[], callback: (lock: WorkLock) => Promise<T>): Promise<T> {
    // A session can take the same lock several times, so the mutex keeps work of this process apart.
    return this.#mutex.run(names, async () => {
      const session = await this.#acquireLocks(names);
      try {
        return await callback(session);
      } finally {
        // Fails when the session is closed, which has released its locks.
        await this.#releaseLocks(session, names).catch(() => undefined);
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const session = await this.#session?.catch(() => undefined);
    await session?.close().catch(() => undefined);
  }

  async #acquireLocks(names: readonly string[]): Promise<LockSession> {
    const distinctNames = [...new Set(names)];
    const keys = distinctNames.map((name) => this.#installation.toLockKey(`work ${name}`));
    return retryWhileFull(async () => {
      for (;;) {
        const session = await this.#openSession();
        try {
          const rows = await session.query<{ locked: boolean[] }>(
            `select array[${keys.map((key) => `pg_try_advisory_lock(${key})`).join(", ")}]::boolean[] as locked`,
          );
          const locked = rows[0]?.locked ?? [];
          if (locked.every(Boolean)) return session;
          await this.#releaseLocks(
            session,
            distinctNames.filter((_, index) => locked[index]),
          );
        } catch (error) {
          // The session keeps the locks that it got before the error.
          await this.#releaseLocks(session, distinctNames).catch(() => undefined);
          throw toStorageError(error);
        }
        await sleep(retryDelayMs);
      }
    });
  }

  async #releaseLocks(session: LockSession, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const keys = [...new Set(names)].map((name) => this.#installation.toLockKey(`work ${name}`));
    await session.query(`select ${keys.map((key) => `pg_advisory_unlock(${key})`).join(", ")}`);
  }

  #openSession(
    enterPresence = async (client: Client): Promise<void> => {
      await client.query(`select pg_advisory_lock_shared(${this.#presenceKey})`);
    },
  ): Promise<LockSession> {
    if (this.#isClosed) return Promise.reject(toStorageError(new Error("The session is closed")));
    if (this.#session === undefined) {
      const openedSession: Promise<LockSession> = this.#connect(enterPresence, () => {
        // The driver reports the end of a connection twice. By the second time, there may be a new one.
        if (this.#session === openedSession) this.#session = undefined;
      });
      this.#session = openedSession;
    }
    return this.#session;
  }

  /** Opens a session again after the connection was lost. */
  async #reopenSession(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#openSession();
        return;
      } catch {
        await sleep(retryDelayMs, undefined, { ref: false });
      }
    }
  }

  async #connect(
    enterPresence: (client: Client) => Promise<void>,
    onSessionEnd: () => void,
  ): Promise<LockSession> {
    const client = new Client({ ...this.#config, keepAlive: true });
    let session: LockSession | undefined;
    const handleEnd = (error?: unknown): void => {
      onSessionEnd();
      if (session === undefined || session.signal.aborted) return;
      session.reportLost(error ?? new Error("The connection was closed"));
      void this.#reopenSession();
    };
    client.on("error", handleEnd);
    client.on("end", handleEnd);
    try {
      await connectClient(client, this.#config);
      // Lets Postgres terminate the session soon after the machine of the process has gone.
      await client.query(
        "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3",
      );
      await enterPresence(client);
      const { rows } = await client.query<{ id: string }>(
        `select ${sessionIdSql} as id from pg_stat_activity where pid = pg_backend_pid()`,
      );
      session = new LockSession(rows[0]?.id ?? "", client);
      return session;
    } catch (error) {
      onSessionEnd();
      void client.end().catch(() => undefined);
      throw toStorageError(error);
    }
  }
}

const tryLock = async (client: Client, lockSql: string): Promise<boolean> => {
  const { rows } = await client.query<{ isLocked: boolean }>(`select ${lockSql} as "isLocked"`);
  return rows.some(({ isLocked }) => isLocked);
};

/** Identifies a session. The start time is needed because the system reuses process ids. */
const sessionIdSql = "pid::text || ' ' || extract(epoch from backend_start)::text";
