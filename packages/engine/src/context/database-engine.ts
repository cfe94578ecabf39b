import type { DatabaseSource } from "../store/rows.js";

/** User and password of a connection. */
export interface DatabaseCredential {
  connectionId: string;
  user: string;
  pass: string;
}

/** Address that clients of a database connect to. */
export interface DatabaseAddress {
  host: string;
  port: number;
  /** Name of the Postgres database in the connection string. */
  database: string;
  /** The `sslmode` of the connection string. Default: `disable`. */
  sslMode?: string;
}

/**
 * Thrown by a `DatabaseEngine` that cannot reach the database server now, or when that lacks resources. The work may be partly
 * done; it is repeated later.
 */
export class DatabaseUnavailableError extends Error {
  /** Why, for the message of a response; undefined when it does not help the caller. */
  readonly reason: string | undefined;

  constructor(message: string, { reason, ...options }: ErrorOptions & { reason?: string | undefined } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Thrown where Postgres cannot be reached, and a change that was being made may take effect nevertheless. A program that repeats
 * its request may make the change twice.
 */
export class OutcomeUnknownError extends DatabaseUnavailableError {}

/** Thrown by work that has lost its locks. Another process may be doing the same work. */
export class LockLostError extends OutcomeUnknownError {
  constructor(cause: unknown) {
    super("The session that held the locks has ended", { cause });
  }
}

/**
 * Creates the databases behind the records of the API. The in-memory engine only generates addresses; the platform's
 * engine creates real Postgres databases. Every method is safe to repeat, and throws when the work fails.
 */
export interface DatabaseEngine {
  /**
   * Returns the addresses of the direct, pooled, and accelerate endpoints. They are known before the database exists, because the response that
   * creates it contains them.
   */
  getEndpoints(databaseId: string): {
    direct: DatabaseAddress;
    pooled: DatabaseAddress;
    accelerate: DatabaseAddress;
  };
  /**
   * Called before `create`, as soon as logins of a database are stored that it is to be created with. Their users may already
   * connect.
   */
  announce?(databaseId: string, credentials: readonly DatabaseCredential[]): void;
  /**
   * Creates a database with the data of its source and a role for each credential.
   *
   * @param signal cancels the creation when it is aborted. The promise then rejects, unless the database is complete.
   */
  create(
    databaseId: string,
    source: DatabaseSource,
    credentials: readonly DatabaseCredential[],
    signal?: AbortSignal,
  ): Promise<void>;
  /** Deletes the data, the roles and the sessions. Cancels a creation or restore that is in progress. */
  drop(databaseId: string): Promise<void>;
  /**
   * Replaces all data with the data of a backup. Roles and passwords do not change.
   *
   * @param signal cancels the restore when it is aborted. The promise then rejects, unless all data is replaced.
   */
  restore(databaseId: string, backupId: string, signal?: AbortSignal): Promise<void>;
  /** Adds a role, or changes the password of an existing role and terminates its sessions. */
  grant(databaseId: string, credential: DatabaseCredential): Promise<void>;
  /** Deletes a role and terminates its sessions. */
  revoke(databaseId: string, connectionId: string): Promise<void>;
  backup(databaseId: string, backupId: string): Promise<{ size: number }>;
  dropBackup(backupId: string): Promise<void>;
  /** Returns whether the data of a backup exists. */
  hasBackup(backupId: string): Promise<boolean>;
  /** Returns the size of the database in bytes, and the number of statements that it has run since it was created. */
  readUsage(databaseId: string): Promise<{ bytes: number; operations: number }>;
}
