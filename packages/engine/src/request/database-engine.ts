import type { DatabaseSource } from "../store/rows.js";

/** User and password of a connection. */
export interface DatabaseCredential {
  connectionId: string;
  user: string;
  pass: string;
}

/** Where clients of a database connect to. */
export interface DatabaseAddress {
  host: string;
  port: number;
  /** Name of the Postgres database in the connection string. */
  database: string;
}

/**
 * What makes the databases behind the API's records. The in-memory one only invents addresses; the platform's makes
 * real Postgres databases. Every method is safe to repeat, and throws when the work could not be done.
 */
export interface DatabaseEngine {
  /** Addresses of the three endpoints; known before the database exists, since the create answer carries them. */
  endpoints(databaseId: string): {
    direct: DatabaseAddress;
    pooled: DatabaseAddress;
    accelerate: DatabaseAddress;
  };
  /** Makes the database, filled from its source, with a role for each credential. */
  create(
    databaseId: string,
    source: DatabaseSource,
    credentials: readonly DatabaseCredential[],
  ): Promise<void>;
  /** Takes data, roles and sessions away. Cancels a create or restore that is under way. */
  drop(databaseId: string): Promise<void>;
  /** Replaces all data by the backup's; roles and passwords stay. */
  restore(databaseId: string, backupId: string): Promise<void>;
  /** Adds a role, or gives an existing one a new password and ends its sessions. */
  grant(databaseId: string, credential: DatabaseCredential): Promise<void>;
  /** Takes a role away and ends its sessions. */
  revoke(databaseId: string, connectionId: string): Promise<void>;
  backup(databaseId: string, backupId: string): Promise<{ size: number }>;
  dropBackup(backupId: string): Promise<void>;
  /** Bytes that the database takes, and statements that it has run since it was made. */
  usage(databaseId: string): Promise<{ bytes: number; operations: number }>;
}
