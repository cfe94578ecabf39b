import type { Duplex } from "node:stream";
import type { ClientBase } from "pg";

/** One of several server processes that work on the same records. */
export interface ServerIdentity {
  /** 16 hexadecimal digits, which are part of the names of its sessions, so that others can end them. */
  readonly id: string;
  /** Returns a new socket for a connection. It cannot connect when another server may have taken the work of this one. */
  openStream(): Duplex;
  /**
   * Closes all connections to an instance of Postgres that another one has replaced, before a new connection is used.
   *
   * @throws Error when the connection is to a standby, or to an instance that was replaced, or is the first to the one that has replaced
   * it.
   */
  register(client: ClientBase): Promise<void>;
  /** Checks whether another instance of Postgres has replaced the one that a statement waits for. Safe to call often. */
  checkReplacement(): void;
}

/** The names of the sessions that work on databases, and of those that change the records. */
export const adminApplicationName = "mgmt";
/** The `application_name` of the connections that read and write the records. */
export const recordsApplicationName = "mgmt records";

/** Returns the name of the sessions of a process, as `pg_stat_activity` shows it. */
export const buildApplicationName = (name: string, server: Pick<ServerIdentity, "id"> | undefined): string =>
  server === undefined ? name : `${name} ${server.id}`;
