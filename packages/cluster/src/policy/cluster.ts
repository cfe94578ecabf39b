import type { ClusterError } from "./cluster-error.js";
import type { ServerLimits } from "./connection-limits.js";
import type { ClusterConnectionOptions } from "./address.js";
import type { Installation } from "./installation.js";
import type { TenantStatement } from "./tenant-statement.js";

/** Runs statements in the database `postgres`. */
export interface StatementRunner {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs all statements in one transaction. */
  runScript(statements: readonly string[]): Promise<void>;
}

/** Returns the titles of processes by process id, without those that cannot be read. */
export type ReadTitles = (pids: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/**
 * SQL condition on `pg_stat_activity` for a session that runs something: a statement, or a function that its client has called without one
 * ([fast path](https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-FUNCTION-CALL)).
 */
export const activeSessionCondition = "state in ('active', 'fastpath function call')";

/** SQL condition on `pg_stat_activity` for a session that uses a processor. One that waits for a disk or a lock does not. */
export const runningSessionCondition = `(${activeSessionCondition} and wait_event is null)`;

/** Statements about the roles of the installation among these names, whether or not they exist. */
export interface MembershipStatements {
  /** Gives the platform the privileges of the roles. */
  join(roles: readonly string[]): string;
  /** Revokes the privileges of the roles from the platform. */
  leave(roles: readonly string[]): string;
}

/**
 * A Postgres cluster, and the privileges of the platform in it. In a dedicated cluster, the platform is the superuser, and no other role
 * creates databases. In a shared cluster, it has fewer privileges and changes nothing that belongs to others.
 */
export interface Cluster {
  readonly address: ClusterConnectionOptions;
  readonly installation: Installation;
  /**
   * The database of the platform's own statements and locks, which no tenant can connect to. On a shared cluster, the database of the
   * records.
   */
  readonly maintenanceDatabase: string;
  /** Major version of Postgres. */
  readonly major: number;

  /**
   * The query that terminates other sessions, to which conditions on `pg_stat_activity` can be added: rows of `pid`, of `database`, of `role`, of
   * `ended`, null for a session that may not be terminated, of `running`, whether the session uses a processor, and of `hidden`, whether
   * Postgres only says so to those who have the privileges of the role.
   */
  readonly sessionTerminationQuery: string;

  /** The query for the locks of tenants: rows of `database`, the oid, `pid`, and `locks`, the number of locks of the session. */
  readonly heldLocksQuery: string;

  /** Session options that override settings which only a superuser can have stored for the database. */
  readonly privilegedOptions: string;

  /** The statements that add the platform's objects to a new, empty database. */
  readonly databaseSetupStatements: readonly TenantStatement[];

  /**
   * Returns the titles of processes of Postgres by process id, without those that cannot be read. The title of a session has the
   * name of its role.
   */
  readonly readProcessTitles: ReadTitles;

  /** Whether the platform may vacuum the catalogs that all databases share. Otherwise, only Postgres itself does. */
  readonly canVacuumSharedCatalogs: boolean;

  /** Whether the platform may read which passwords roles have, as verifiers. */
  readonly canReadPasswords: boolean;

  /** Whether `DROP DATABASE … WITH (FORCE)` terminates every session. */
  readonly canForceDrop: boolean;

  /**
   * Whether a start sets all passwords in a few statements, without comparing them with the records and without terminating the sessions that
   * use another one. Suits a server that starts shortly before and that clients reach through the proxy, which opens after the repair. The
   * server itself listens before the repair is complete, so a program on its machine can connect with the logins and passwords of the last run.
   */
  readonly resetsPasswordsAtStart: boolean;

  /** Returns whether an error means that the limit or the privileges of a database reject the platform, which may change them. */
  isConnectRejection(error: unknown): boolean;

  /**
   * Returns the error for a statement that Postgres has rejected because of privileges, if the platform has lost one of those that a start
   * needs; undefined otherwise.
   */
  findLostPrivileges(
    statements: Pick<StatementRunner, "query">,
    rejection: unknown,
  ): Promise<ClusterError | undefined>;

  /** How the platform gets the privileges of roles that it has made, or undefined for a superuser, which has them. */
  readonly memberships: MembershipStatements | undefined;

  /** Returns the statements that let a role own objects anywhere in the current database. */
  buildAllowOwningStatements(database: string, owner: string): TenantStatement[];

  /** Returns a variant of a statement that does nothing where the platform may lack the privilege. */
  ignorePrivilegeErrors(statement: string): string;

  /** Terminates sessions of tenants, even while they hold all locks of the server. */
  terminateSessions(
    pids: readonly number[],
    query: (text: string, values: readonly unknown[]) => Promise<unknown>,
  ): Promise<void>;

  /**
   * Kills processes of Postgres that ignore their termination because of a loop that checks for no signals. Postgres restarts afterwards.
   * Undefined if the processes may be on another machine.
   */
  readonly killProcesses: ((pids: readonly number[]) => void) | undefined;

  /** Returns the limits of all tenants together, which leave enough for the platform. */
  readLimits(statements: StatementRunner): Promise<ServerLimits>;

  /**
   * Prepares the cluster for databases.
   *
   * @returns messages about changes that an administrator of the cluster should make.
   * @throws ClusterError `cluster:lacks_privileges`.
   */
  prepare(statements: StatementRunner): Promise<string[]>;
}
