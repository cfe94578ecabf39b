import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError, type Pool, type PoolClient, escapeIdentifier, escapeLiteral } from "pg";
import { DatabaseUnavailableError } from "@mgmt/engine";
import { FairSemaphore } from "@mgmt/engine/internal";
import { wrapConnectionErrors, toUnavailableError } from "./unavailable.js";
import { adminApplicationName } from "../policy/server-identity.js";
import { type ConnectionConfig, toClientConfig } from "../policy/address.js";
import { getDatabaseUse, toTenantDatabaseName } from "../policy/names.js";
import type { Cluster } from "../policy/cluster.js";
import { type ServerLimits, ownServerLimits } from "../policy/connection-limits.js";
import type { TenantStatement } from "../policy/tenant-statement.js";
import { SuperuserConnectedError } from "./superuser-connected.js";
import { UnresponsiveSessionsError } from "./unresponsive-sessions.js";
import { BlockerTerminator } from "./blockers.js";
import { type LoginCredentials, acceptsPassword } from "./password-check.js";
import { connectClient } from "./connect-client.js";
import { openPool } from "./pool.js";
import { retryWhileFull } from "./retry-while-full.js";
import { RoleMemberships } from "./role-memberships.js";

/** Returns whether Postgres rejected a statement because a database does not exist (`invalid_catalog_name`). */
export const isMissingDatabaseError = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "3D000";

/** Returns whether Postgres rejected a statement because a database or a role (`undefined_object`) does not exist. */
export const isMissingObjectError = (error: unknown): boolean =>
  isMissingDatabaseError(error) || (error instanceof DatabaseError && error.code === "42704");

/** Returns whether Postgres rejected a statement because sessions are connected to the database (`object_in_use`). */
export const isDatabaseInUseError = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "55006";

/** Returns whether a statement has waited too long for a lock (`lock_not_available`). */
export const isLockTimeoutError = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError &&
  error.cause instanceof DatabaseError &&
  error.cause.code === "55P03";

/** Returns whether Postgres rejected something because of privileges (`insufficient_privilege`). */
export const isPrivilegeError = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "42501";

/**
 * Returns whether Postgres rejected a statement because another session has just changed the same row of a catalog, for which Postgres has
 * no SQLSTATE but `internal_error`.
 */
export const isConcurrentChangeError = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "XX000";

/**
 * SQL condition on `pg_database` for a database whose creation or removal was interrupted. All that Postgres allows is to
 * drop it. See https://www.postgresql.org/docs/current/sql-dropdatabase.html
 */
export const invalidDatabaseCondition = "datconnlimit = -2";

/**
 * Overrides settings that a tenant may have set on its database. With the tenant's `search_path`, for example, statements
 * of the superuser could call the tenant's functions. A library that does not exist would refuse the connection.
 */
const guardedStartupOptions =
  "-c search_path=pg_catalog -c role=none -c default_transaction_read_only=off -c statement_timeout=60s " +
  "-c lock_timeout=400ms -c transaction_timeout=0 -c row_security=off -c local_preload_libraries= " +
  "-c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0 -c default_transaction_isolation=read\\ committed";

/**
 * How long statements wait for locks in total, in milliseconds. Each attempt is shorter, so that work that waits for a lock of a tenant's
 * uninterruptible statement does not occupy the connections of the platform.
 */
const lockTimeoutMs = 20_000;

/** How long sessions may take to terminate, in milliseconds. */
const terminationTimeoutMs = 30_000;

/** How long a session may use a processor after it was asked to terminate, in milliseconds. */
const unresponsiveTimeoutMs = 5_000;

/** How long sessions may take to terminate before the platform checks what they do, in milliseconds. */
const hiddenTimeoutMs = 1_000;

/** Interval between checks whether sessions are terminated, in milliseconds: at first, and after the first second. */
const terminationPollIntervalsMs = { first: 3, later: 50 };

/** A session that was asked to terminate. */
interface TerminatedSession {
  pid: number;
  /** Null for a process of Postgres itself. */
  database: string | null;
  /** Null when the platform may not terminate it. */
  isTerminated: boolean | null;
  /** Null for a process of Postgres itself. */
  role: string | null;
  /** Whether the session uses a processor. */
  isRunning: boolean;
  /** Whether `isRunning` is visible only with the privileges of the role. */
  isHidden: boolean;
}

/** Maximum number of simultaneous connections: to databases of tenants, who can make a connection slow, and to other databases. */
const maxDatabaseConnections = { open: 2, closed: 4 };

/** Maximum number of statements that copy or drop a database at the same time. */
const maxLongStatements = 4;

/** Time until a connection that is not needed is closed, in milliseconds. */
const idleTimeoutMillis = 5_000;

/** Sessions of a database that do not react to their termination. */
export interface UnresponsiveSessions {
  readonly database: string;
  readonly pids: readonly number[];
}

/** Runs the statements of the platform in a cluster. */
export class AdminConnection {
  readonly cluster: Cluster;
  /** The limits for all tenants together. Until they are read, those of a server with the settings of the platform. */
  limits: ServerLimits = ownServerLimits;
  /** The address and credentials of the connections. */
  readonly address: ConnectionConfig;
  /** For statements that take milliseconds. */
  readonly #pool: Pool;
  /** For statements that copy or drop a database, so that nothing else waits for their connections. */
  readonly #longPool: Pool;
  /** Long statements wait here, because the pool would give up after some time, as if Postgres could not be reached. */
  readonly #longSemaphore = new FairSemaphore({ maxTotal: maxLongStatements });
  readonly #openSemaphore = new FairSemaphore({ maxTotal: maxDatabaseConnections.open });
  readonly #closedSemaphore = new FairSemaphore({ maxTotal: maxDatabaseConnections.closed });
  readonly #blockerTerminator: BlockerTerminator;
  /** The privileges of roles of tenants. */
  readonly memberships: RoleMemberships;
  /** All databases share the lock table, so transactions that take many locks run one at a time. */
  readonly manyLocksSemaphore = new FairSemaphore({ maxTotal: 1 });
  /** Called when sessions do not react to their termination and may be killed, before `terminateSessions` fails. */
  onUnresponsive: (sessions: UnresponsiveSessions) => void = () => undefined;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
    const options =
      cluster.major >= 17
        ? guardedStartupOptions
        : guardedStartupOptions.replace("-c transaction_timeout=0 ", "");
    this.address = {
      ...toClientConfig(cluster.address, adminApplicationName),
      database: cluster.maintenanceDatabase,
      options,
      connectionTimeoutMillis: 30_000,
    };
    // One connection stays open, because opening a connection takes longer than most statements.
    this.#pool = openPool({ ...this.address, idleTimeoutMillis, min: 1, max: 4 });
    this.#longPool = openPool({
      ...this.address,
      idleTimeoutMillis,
      options: `${options} -c statement_timeout=0 -c lock_timeout=20s`,
      max: maxLongStatements,
    });
    this.memberships = new RoleMemberships(cluster.memberships, (statements) =>
      retryWhileLocked(() => this.#runScriptOnce(statements, false)),
    );
    this.#blockerTerminator = new BlockerTerminator(this.address, cluster.installation);
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#runUnblocked(() => this.#pool.query<Row>(text, [...values]));
    return rows;
  }

  /** Runs all statements in one transaction and one round trip. Tries again while another session holds a lock that they need. */
  runScript(statements: readonly string[]): Promise<void> {
    return retryWhileLocked(() => this.tryScript(statements));
  }

  /** Runs statements with the privileges of the tenant to whom a database belongs, which Postgres requires to alter it. */
  runScriptAsOwner(database: string, statements: readonly string[]): Promise<void> {
    return this.memberships.runWith([toTenantDatabaseName(database)], () => this.runScript(statements));
  }

  /** Runs all statements in one transaction and one round trip. Fails soon while another session holds a lock that they need. */
  tryScript(statements: readonly string[]): Promise<void> {
    return this.#runScriptOnce(statements, true);
  }

  async #runScriptOnce(statements: readonly string[], canRenew: boolean): Promise<void> {
    await this.#runUnblocked(() => this.#pool.query(statements.join(";\n")), canRenew);
  }

  /**
   * Runs a statement that is not allowed in a transaction, such as `CREATE DATABASE`, without a limit of time. Aborting the
   * signal cancels it.
   *
   * @throws the reason of the signal when it is aborted.
   */
  async runLongStatement(statement: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#longSemaphore.run("", async () =>
      this.#runOnClient(await wrapConnectionErrors(() => this.#longPool.connect()), statement, signal),
    );
  }

  async #runOnClient(client: PoolClient, statement: string, signal: AbortSignal | undefined): Promise<void> {
    let cancellation: Promise<unknown> | undefined;
    try {
      const pid = signal && (await wrapConnectionErrors(() => readBackendPid(client)));
      const cancel = (): void => {
        cancellation = this.query("select pg_cancel_backend($1)", [pid]).catch(() => undefined);
      };
      signal?.throwIfAborted();
      signal?.addEventListener("abort", cancel);
      try {
        await this.#runUnblocked(() => client.query(statement));
      } finally {
        signal?.removeEventListener("abort", cancel);
        await cancellation;
      }
      // A late cancellation must not hit the next statement of this connection.
      client.release(cancellation !== undefined);
    } catch (error) {
      client.release(true);
      signal?.throwIfAborted();
      throw error;
    }
  }

  /** Runs statements in one transaction in another database. */
  async runScriptIn(database: string, statements: readonly TenantStatement[]): Promise<void> {
    const semaphore = getDatabaseUse(database) === "database" ? this.#openSemaphore : this.#closedSemaphore;
    await semaphore.run(database, async () => {
      const client = await wrapConnectionErrors(() => this.#connectTo(database));
      try {
        await this.#runUnblocked(() => client.query(statements.map(({ text }) => text).join(";\n")));
      } finally {
        await client.end();
      }
    });
  }

  async #connectTo(database: string): Promise<Client> {
    try {
      return await this.#openClient(database);
    } catch (error) {
      if (!this.cluster.isConnectRejection(error)) throw error;
      return this.#connectDespiteLimits(database);
    }
  }

  /** Connects to a database whose connection limit or privileges reject the platform. */
  async #connectDespiteLimits(database: string): Promise<Client> {
    const [row] = await this.query<{ limit: number }>(
      "select datconnlimit as limit from pg_database where datname = $1",
      [database],
    );
    const setLimitSql = `alter database ${quoteIdentifier(database)} connection limit`;
    return this.memberships.runWith([toTenantDatabaseName(database)], async () => {
      await this.grantConnectToItself(database);
      await this.runScript([`${setLimitSql} -1`]);
      try {
        return await this.#openClient(database);
      } finally {
        await this.runScript([`${setLimitSql} ${String(row?.limit ?? -1)}`]);
      }
    });
  }

  async #openClient(database: string): Promise<Client> {
    const { options = "" } = this.address;
    const client = new Client({
      ...this.address,
      options: `${options} ${this.cluster.privilegedOptions}`,
      database,
    });
    client.on("error", () => undefined);
    await connectClient(client, this.address);
    return client;
  }

  /** Restores the privilege to connect to a database, which its owner can revoke. */
  async grantConnectToItself(database: string): Promise<void> {
    await this.runScriptAsOwner(database, [
      `grant connect on database ${quoteIdentifier(database)} to current_user`,
    ]);
  }

  /**
   * Terminates the sessions that match `condition` on `pg_stat_activity`, and waits until they no longer exist. Only a superuser can
   * terminate sessions of superusers.
   *
   * @param canKill whether sessions that do not react to their termination may be killed for this work. Default: true.
   * @returns whether there were any.
   * @throws UnresponsiveSessionsError when some ignore it; DatabaseUnavailableError when they do not end; SuperuserConnectedError.
   */
  async terminateSessions(condition: string, value: string, canKill = true): Promise<boolean> {
    const options = { startedAt: performance.now(), canKill };
    const terminationResult = await this.#terminateSessionsSince(condition, value, options);
    if (typeof terminationResult === "boolean") return terminationResult;
    await this.memberships.runWith(terminationResult.hiddenRoles, () =>
      this.#terminateSessionsSince(condition, value, { ...options, canSeeAll: true }),
    );
    return true;
  }

  /** Returns whether there were any sessions, or the roles of sessions that have not terminated yet and hide what they do. */
  async #terminateSessionsSince(
    condition: string,
    value: string,
    { startedAt, canKill, canSeeAll = false }: { startedAt: number; canKill: boolean; canSeeAll?: boolean },
  ): Promise<boolean | { hiddenRoles: string[] }> {
    let hadSessions = false;
    // `pg_terminate_backend` can wait too, but polls only every 100 ms.
    for (
      let elapsedMs = performance.now() - startedAt;
      elapsedMs < terminationTimeoutMs;
      elapsedMs = performance.now() - startedAt
    ) {
      const sessions = await this.#sendTermination(condition, value);
      if (sessions.length === 0) return hadSessions;
      hadSessions = true;
      if (sessions.every(({ isTerminated }) => isTerminated === null)) throw new SuperuserConnectedError();
      const hiddenRoles = sessions.flatMap(({ isHidden, role }) => (isHidden && role !== null ? [role] : []));
      if (elapsedMs >= hiddenTimeoutMs && hiddenRoles.length > 0 && !canSeeAll) return { hiddenRoles };
      const unresponsiveSessions = sessions.filter(
        ({ isTerminated, isRunning }) => isTerminated !== null && isRunning,
      );
      if (elapsedMs >= unresponsiveTimeoutMs && unresponsiveSessions.length > 0) {
        if (canKill) this.#reportUnresponsive(unresponsiveSessions);
        throw new UnresponsiveSessionsError();
      }
      await sleep(elapsedMs < 1_000 ? terminationPollIntervalsMs.first : terminationPollIntervalsMs.later);
    }
    throw toUnavailableError(new Error("Sessions do not end"));
  }

  #reportUnresponsive(sessions: readonly TerminatedSession[]): void {
    for (const database of new Set(sessions.flatMap((session) => session.database ?? []))) {
      const sessionsOfDatabase = sessions.filter((session) => session.database === database);
      this.onUnresponsive({ database, pids: sessionsOfDatabase.map(({ pid }) => pid) });
    }
  }

  /** Sends the requests to terminate. */
  #sendTermination(condition: string, value: string): Promise<TerminatedSession[]> {
    return this.query<TerminatedSession>(`${this.cluster.sessionTerminationQuery} and ${condition}`, [value]);
  }

  /** Returns whether Postgres accepts the password of a login. */
  acceptsLogin(login: LoginCredentials): Promise<boolean> {
    return this.#openSemaphore.run(login.database, () => acceptsPassword(this.address, login));
  }

  /**
   * Terminates the sessions in `database` and runs the callback, repeatedly while new sessions make it fail.
   *
   * @param canKill as for `terminateSessions`.
   * @throws errors of `terminateSessions` and of the callback.
   */
  async runWhenUnused(database: string, callback: () => Promise<void>, canKill = true): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await this.terminateSessions("datname = $1", database, canKill);
      try {
        await callback();
        return;
      } catch (error) {
        if (!isDatabaseInUseError(error)) throw error;
        // Another process may be copying the database.
        if (attempt === 5) throw toUnavailableError(error);
        await sleep(attempt * 20);
      }
    }
  }

  /** @throws ClusterError `cluster:lacks_privileges` when Postgres rejects a statement because the platform has lost a privilege. */
  async #runUnblocked<T>(callback: () => Promise<T>, canRenew = true): Promise<T> {
    const run = (): Promise<T> =>
      this.#blockerTerminator.runEndingBlockers(() => retryWhileFull(() => wrapConnectionErrors(callback)));
    try {
      return await run().catch(async (error: unknown) => {
        if (!canRenew || !isPrivilegeError(error) || !(await this.memberships.renew())) throw error;
        return run();
      });
    } catch (error) {
      if (!isPrivilegeError(error)) throw error;
      const query = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
        (await this.#pool.query<Row>(text, [...values])).rows;
      const explanation = await this.cluster.findLostPrivileges({ query }, error).catch(() => undefined);
      throw explanation ?? error;
    }
  }

  async close(): Promise<void> {
    await this.#blockerTerminator.close();
    await Promise.all([this.#pool.end(), this.#longPool.end()]);
  }
}

/** Repeats a callback while it fails because another session holds a lock that it needs. */
const retryWhileLocked = async (callback: () => Promise<void>): Promise<void> => {
  for (const startedAt = performance.now(); ;) {
    try {
      await callback();
      return;
    } catch (error) {
      if (!isLockTimeoutError(error) || performance.now() - startedAt >= lockTimeoutMs) throw error;
    }
  }
};

const readBackendPid = async (client: PoolClient): Promise<number | undefined> => {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid;
};

/** Returns a name as an SQL identifier in double quotes. */
export const quoteIdentifier = escapeIdentifier;
/** Returns a text as an SQL string literal. */
export const quoteLiteral = escapeLiteral;
