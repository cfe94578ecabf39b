import { setTimeout as sleep } from "node:timers/promises";
import {
  Client,
  type ClientConfig,
  DatabaseError,
  type Pool,
  type PoolClient,
  escapeIdentifier,
  escapeLiteral,
} from "pg";
import { KeyedMutex } from "@mgmt/engine";
import { superuser } from "../postgres/cluster.js";
import { isTemporary, unavailable } from "../postgres/unavailable.js";
import { SuperuserConnectedError } from "./superuser-connected.js";
import { Blockers } from "./blockers.js";
import { type Login, acceptsPassword } from "./password-check.js";
import { openPool } from "./pool.js";

export interface AdminAddress {
  port: number;
  /**
   * A role with CREATEDB and CREATEROLE, in a cluster that others also use. Default: the superuser, in the platform's own
   * cluster.
   */
  user?: string;
  password: string;
}

/** Returns whether Postgres refused a statement because a database does not exist (`invalid_catalog_name`). */
export const isMissingDatabase = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "3D000";

/** Returns whether Postgres refused a statement because a database or a role (`undefined_object`) does not exist. */
export const isMissing = (error: unknown): boolean =>
  isMissingDatabase(error) || (error instanceof DatabaseError && error.code === "42704");

/** Returns whether Postgres refused a statement because sessions are connected to the database (`object_in_use`). */
const isInUse = (error: unknown): boolean => error instanceof DatabaseError && error.code === "55006";

/** Returns whether Postgres refused something because of privileges (`insufficient_privilege`). */
export const isForbidden = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "42501";

/** Returns whether a database refused a connection because of its limit (`too_many_connections`) or because of privileges. */
const isNotAdmitted = (error: unknown): boolean =>
  isForbidden(error) || (error instanceof DatabaseError && error.code === "53300");

const endAll =
  "select pg_terminate_backend(pid) as ended from pg_stat_activity where pid <> pg_backend_pid()";

/** Without superuser. Postgres itself ends autovacuum workers, which have no role. */
const endAllowed = `
  select case when r.rolsuper then null else pg_terminate_backend(pid) end as ended
  from pg_stat_activity join pg_roles r on r.oid = usesysid
  where pid <> pg_backend_pid()`;

/**
 * Runs work that uses connections to Postgres.
 *
 * @throws DatabaseUnavailableError when Postgres cannot be reached or the connection is lost; DatabaseError when Postgres
 *   refuses a statement.
 */
const reaching = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseError && !isTemporary(error)) throw error;
    // All other errors of the driver are about the connection.
    throw unavailable(error);
  }
};

/**
 * SQL condition on `pg_database` for a database whose creation or removal was interrupted. All that Postgres allows is to
 * drop it. See https://www.postgresql.org/docs/current/sql-dropdatabase.html
 */
export const isInvalid = "datconnlimit = -2";

/**
 * Overrides settings that a tenant may have set on its database. With the tenant's `search_path`, for example, statements
 * of the superuser could call the tenant's functions. A library that does not exist would refuse the connection.
 */
const guardedSettings =
  "-c search_path=pg_catalog -c role=none -c default_transaction_read_only=off -c statement_timeout=60s " +
  "-c lock_timeout=20s -c transaction_timeout=0 -c row_security=off -c local_preload_libraries= " +
  "-c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0 -c default_transaction_isolation=read\\ committed";

/** Connections to databases of tenants at the same time. The platform has a limited number of connections. */
const maxWithin = 4;

/** Maximum number of statements that copy or drop a database at the same time. */
const maxLong = 4;

/** Runs statements as the superuser, or as a role with fewer privileges in a cluster that others also use. */
export class Admin {
  readonly isSuperuser: boolean;
  /** How it connects. */
  readonly address: ClientConfig;
  /** For statements that take milliseconds. */
  readonly #pool: Pool;
  /** For statements that copy or drop a database, so that nothing else waits for their connections. */
  readonly #longPool: Pool;
  #running = 0;
  /** What waits for its turn to run a long statement. */
  readonly #waiting: (() => void)[] = [];
  readonly #blockers: Blockers;
  readonly #within = new KeyedMutex();
  #worksWithin = 0;

  constructor({ port, user, password }: AdminAddress, major: number) {
    this.isSuperuser = user === undefined;
    const options = major >= 17 ? guardedSettings : guardedSettings.replace("-c transaction_timeout=0 ", "");
    this.address = {
      host: "127.0.0.1",
      port,
      user: user ?? superuser,
      password,
      ssl: false,
      application_name: "mgmt",
      options,
      connectionTimeoutMillis: 30_000,
    };
    // One connection stays open, because opening one takes longer than most statements.
    const keepOne = { min: 1, idleTimeoutMillis: 30_000 };
    this.#pool = openPool({ ...this.address, ...keepOne, max: 4 });
    this.#longPool = openPool({
      ...this.address,
      ...keepOne,
      options: `${options} -c statement_timeout=0`,
      max: maxLong,
    });
    this.#blockers = new Blockers(this.address);
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#reaching(() => this.#pool.query<Row>(text, [...values]));
    return rows;
  }

  /** Runs all statements in one transaction and one round trip. */
  async script(statements: readonly string[]): Promise<void> {
    await this.#reaching(() => this.#pool.query(statements.join(";\n")));
  }

  /**
   * Runs a statement that is not allowed in a transaction, such as `CREATE DATABASE`, without a limit of time. Aborting the
   * signal cancels it.
   *
   * @throws the reason of the signal when it is aborted.
   */
  async run(statement: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const finish = await this.#takeTurn();
    try {
      await this.#runOn(await reaching(() => this.#longPool.connect()), statement, signal);
    } finally {
      finish();
    }
  }

  async #runOn(client: PoolClient, statement: string, signal: AbortSignal | undefined): Promise<void> {
    let canceled: Promise<unknown> | undefined;
    try {
      const pid = signal && (await reaching(() => backendOf(client)));
      const cancel = (): void => {
        canceled = this.query("select pg_cancel_backend($1)", [pid]).catch(() => undefined);
      };
      signal?.throwIfAborted();
      signal?.addEventListener("abort", cancel);
      try {
        await this.#reaching(() => client.query(statement));
      } finally {
        signal?.removeEventListener("abort", cancel);
        await canceled;
      }
      // A late cancellation must not hit the next statement of this connection.
      client.release(canceled !== undefined);
    } catch (error) {
      client.release(true);
      signal?.throwIfAborted();
      throw error;
    }
  }

  /** Runs statements in one transaction in another database. */
  async scriptWithin(database: string, statements: readonly string[]): Promise<void> {
    await this.#withinLimit(async () => {
      const client = await reaching(() => this.#connectTo(database));
      try {
        await this.#reaching(() => client.query(statements.join(";\n")));
      } finally {
        await client.end();
      }
    });
  }

  async #connectTo(database: string): Promise<Client> {
    try {
      return await this.#open(database);
    } catch (error) {
      if (this.isSuperuser || !isNotAdmitted(error)) throw error;
      return this.#enter(database);
    }
  }

  /** Connects to a database whose connection limit or privileges refuse the platform. A superuser is never refused. */
  async #enter(database: string): Promise<Client> {
    const [found] = await this.query<{ limit: number }>(
      "select datconnlimit as limit from pg_database where datname = $1",
      [database],
    );
    const limit = `alter database ${identifier(database)} connection limit`;
    await this.allowItself(database);
    await this.script([`${limit} -1`]);
    try {
      return await this.#open(database);
    } finally {
      await this.script([`${limit} ${String(found?.limit ?? -1)}`]);
    }
  }

  async #open(database: string): Promise<Client> {
    const client = new Client({ ...this.address, database });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  /** Restores the privilege to connect to a database, which its owner can revoke. */
  async allowItself(database: string): Promise<void> {
    await this.script([`grant connect on database ${identifier(database)} to current_user`]);
  }

  /** Does work that opens a connection, when few others are open. */
  #withinLimit<T>(work: () => Promise<T>): Promise<T> {
    this.#worksWithin += 1;
    return this.#within.run([String(this.#worksWithin % maxWithin)], work);
  }

  /**
   * Ends the sessions that match `condition` on `pg_stat_activity`, and waits until they are gone. Only a superuser can end
   * those of superusers.
   *
   * @returns whether there were any.
   * @throws DatabaseUnavailableError when they do not end; SuperuserConnectedError.
   */
  async endSessions(condition: string, value: string): Promise<boolean> {
    let isFound = false;
    const sessionsToEnd = this.isSuperuser ? endAll : endAllowed;
    // `pg_terminate_backend` can wait too, but polls only every 100 ms.
    for (const deadline = performance.now() + 30_000; performance.now() < deadline; await sleep(3)) {
      const sessions = await this.query<{ ended: boolean | null }>(`${sessionsToEnd} and ${condition}`, [
        value,
      ]);
      if (sessions.length === 0) return isFound;
      isFound = true;
      if (sessions.every(({ ended }) => ended === null)) throw new SuperuserConnectedError();
    }
    throw unavailable(new Error("Sessions do not end"));
  }

  /** Returns whether Postgres accepts the password of a login. */
  accepts(login: Login): Promise<boolean> {
    return this.#withinLimit(() => acceptsPassword(this.address, login));
  }

  /** Does the work. If sessions in `database` make it fail, ends them and tries again. */
  onceUnused(database: string, work: () => Promise<void>): Promise<void> {
    return this.#whileUnused(database, work, false);
  }

  /** Ends the sessions in `database` and does the work, repeatedly while new sessions make it fail. */
  whileUnused(database: string, work: () => Promise<void>): Promise<void> {
    return this.#whileUnused(database, work, true);
  }

  async #whileUnused(database: string, work: () => Promise<void>, isUsed: boolean): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      if (isUsed || attempt > 1) await this.endSessions("datname = $1", database);
      try {
        await work();
        return;
      } catch (error) {
        if (!isInUse(error)) throw error;
        // Another process may be copying the database.
        if (attempt === 5) throw unavailable(error);
        await sleep(attempt * 20);
      }
    }
  }

  /**
   * Waits until one of the connections for long statements is free. The pool would give up after some time, as if Postgres could
   * not be reached.
   */
  async #takeTurn(): Promise<() => void> {
    if (this.#running < maxLong) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    };
  }

  #reaching<T>(work: () => Promise<T>): Promise<T> {
    return this.#blockers.during(() => reaching(work));
  }

  async close(): Promise<void> {
    await this.#blockers.close();
    await Promise.all([this.#pool.end(), this.#longPool.end()]);
  }
}

const backendOf = async (client: PoolClient): Promise<number | undefined> => {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid;
};

export const identifier = escapeIdentifier;
export const literal = escapeLiteral;
