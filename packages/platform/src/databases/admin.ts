import { setTimeout as sleep } from "node:timers/promises";
import {
  Client,
  type ClientConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  escapeIdentifier,
  escapeLiteral,
} from "pg";
import { superuser } from "../postgres/cluster.js";

export interface AdminAddress {
  port: number;
  /** The superuser's. */
  password: string;
}

/** `55006`: somebody is connected to a database that must be nobody's at the moment. */
export const isInUse = (error: unknown): boolean => error instanceof DatabaseError && error.code === "55006";

/**
 * Settings of a tenant's database must not reach us when we enter it: with a `search_path` of its making, its functions
 * would run with our rights.
 */
const guardedSettings =
  "-c search_path=pg_catalog -c role=none -c default_transaction_read_only=off -c statement_timeout=0 " +
  "-c lock_timeout=0 -c transaction_timeout=0 -c row_security=off";

/** Statements as the superuser. */
export class Admin {
  readonly #address: ClientConfig;
  readonly #pool: Pool;

  constructor({ port, password }: AdminAddress, major: number) {
    this.#address = {
      host: "127.0.0.1",
      port,
      user: superuser,
      password,
      ssl: false,
      application_name: "mgmt",
      options: major >= 17 ? guardedSettings : guardedSettings.replace("-c transaction_timeout=0 ", ""),
      connectionTimeoutMillis: 30_000,
    };
    this.#pool = new Pool({ ...this.#address, database: "postgres", max: 6, idleTimeoutMillis: 30_000 });
    // A connection that breaks would end the process; the next statement gets another one, or says what is wrong.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#pool.query<Row>(text, [...values]);
    return rows;
  }

  /** All statements in one transaction and one round trip. */
  async script(statements: readonly string[]): Promise<void> {
    await this.#pool.query(statements.join(";\n"));
  }

  /**
   * One statement that no transaction may hold, such as `CREATE DATABASE`. Aborting the signal cancels it.
   *
   * @throws the signal's reason once it is aborted.
   */
  async run(statement: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const client = await this.#pool.connect();
    let cancelled: Promise<unknown> | undefined;
    try {
      const pid = await backendPid(client);
      const cancel = (): void => {
        cancelled = this.query("select pg_cancel_backend($1)", [pid]).catch(() => undefined);
      };
      signal?.throwIfAborted();
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        await client.query(statement);
      } finally {
        signal?.removeEventListener("abort", cancel);
        // A cancellation that comes late must not hit the next statement of this connection.
        await cancelled;
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      client.release(cancelled !== undefined);
    }
  }

  /** Statements in one transaction inside another database. */
  async scriptWithin(database: string, statements: readonly string[]): Promise<void> {
    const client = new Client({ ...this.#address, database });
    client.on("error", () => undefined);
    await client.connect();
    try {
      await client.query(statements.join(";\n"));
    } finally {
      await client.end();
    }
  }

  /** Ends the sessions that match and waits until they are gone. `condition` is about `pg_stat_activity`. */
  async endSessions(condition: string, value: string): Promise<void> {
    // Postgres can wait itself, but looks only every 100 ms.
    for (const deadline = Date.now() + 5_000; Date.now() < deadline; await sleep(3)) {
      const sessions = await this.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and ${condition}`,
        [value],
      );
      if (sessions.length === 0) return;
    }
  }

  /** Repeats work that fails because of sessions in `database`, which it ends. */
  async whileUnused(database: string, work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await this.endSessions("datname = $1", database);
      try {
        await work();
        return;
      } catch (error) {
        if (!isInUse(error) || attempt === 5) throw error;
        await sleep(attempt * 20);
      }
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

const backendPid = async (client: PoolClient): Promise<number> => {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const [row] = rows;
  if (row === undefined) throw new Error("Postgres did not tell its process id");
  return row.pid;
};

export const identifier = escapeIdentifier;
export const literal = escapeLiteral;
