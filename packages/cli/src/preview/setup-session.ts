import { type Client, escapeLiteral } from "pg";
import type { Context } from "../input/context.js";
import { describeCause } from "../errors/cli-error.js";
import { unreachableDatabaseError } from "../errors/postgres-errors.js";
import type { DatabaseAccess } from "../postgres/database-access.js";
import { createPostgresClient } from "../postgres/session.js";
import { setupSchemaName } from "./record.js";

/** The state of the setup as a preview database records it. `unknown` stands for a record that this version cannot read. */
export type SetupState = "none" | "done" | "unknown";

/** Number of the advisory lock that is held while a setup runs: the first eight bytes of the SHA-256 of `mgmt preview setup`. */
const setupLockNumber = "7972968968623681924";

/**
 * A session of a preview database. Its lock ends with it, also if this process is killed. The record is in the database that it is about:
 * renaming the database keeps the record, and replacing its data deletes it.
 */
export class SetupSession {
  readonly #access: DatabaseAccess;
  readonly #signal: AbortSignal;
  #client: Client;

  private constructor(access: DatabaseAccess, signal: AbortSignal) {
    this.#access = access;
    this.#signal = signal;
    this.#client = this.#createClient();
  }

  /** Throws `database:unreachable`. */
  static async open(access: DatabaseAccess, { signal }: Pick<Context, "signal">): Promise<SetupSession> {
    const session = new SetupSession(access, signal);
    await session.#connect();
    return session;
  }

  /** Tries to get the lock of the setup. */
  async tryLock(): Promise<boolean> {
    const rows = await this.#queryRows(
      `select pg_catalog.pg_try_advisory_lock(${setupLockNumber}) as locked`,
    );
    return rows[0]?.["locked"] === true;
  }

  async readState(): Promise<SetupState> {
    const rows = await this.#queryRows(
      `select pg_catalog.obj_description(n.oid, 'pg_namespace') as comment from pg_catalog.pg_namespace n
        where n.nspname operator(pg_catalog.=) ${escapeLiteral(setupSchemaName)}`,
    );
    if (rows.length === 0) return "none";
    const [, id] = commentPattern.exec(String(rows[0]?.["comment"])) ?? [];
    if (id === undefined) return "unknown";
    // A copy of a preview has its record too.
    return id === this.#access.databaseId ? "done" : "none";
  }

  /**
   * Records that the setup has succeeded. Connects again after an error, because the connection may have been lost meanwhile, and the lock
   * with it. Throws if another session has the lock then: another setup may be changing the database.
   */
  async recordDone(): Promise<void> {
    const comment = buildComment(this.#access.databaseId);
    const sql = `create schema if not exists ${setupSchemaName}; comment on schema ${setupSchemaName} is ${escapeLiteral(comment)}`;
    try {
      await this.#queryRows(sql);
    } catch {
      this.#signal.throwIfAborted();
      await this.close();
      this.#client = this.#createClient();
      await this.#connect();
      if (!(await this.tryLock()))
        throw new Error("the connection was lost, and another run may have begun the setup");
      await this.#queryRows(sql);
    }
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  #createClient(): Client {
    return createPostgresClient(this.#access, {
      application_name: "mgmt preview",
      options: "-c search_path=pg_catalog",
      client_encoding: "UTF8",
      keepAlive: true,
    });
  }

  async #connect(): Promise<void> {
    try {
      await this.#client.connect();
    } catch (error) {
      await this.close();
      this.#signal.throwIfAborted();
      throw unreachableDatabaseError(this.#access.databaseId, describeCause(error));
    }
  }

  async #queryRows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { rows } = await this.#client.query<Record<string, unknown>>(sql);
    return rows;
  }
}

const buildComment = (databaseId: string): string => `mgmt preview: the setup of ${databaseId} has succeeded`;
const commentPattern = /^mgmt preview: the setup of (\S+) has succeeded$/;
