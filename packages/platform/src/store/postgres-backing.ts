import {
  type Access,
  type Backing,
  ConflictError,
  DatabaseUnavailableError,
  type Found,
  type TableChanges,
  type Transaction,
  type Want,
} from "@mgmt/engine";
import { DatabaseError, type Pool, type PoolClient, type QueryResult, escapeIdentifier } from "pg";
import { type Result, literal, readsOf } from "./reads.js";
import { writesOf } from "./writes.js";

/** Codes of errors after which a step runs again: unique_violation, serialization_failure, deadlock_detected. */
const conflicts: ReadonlySet<string> = new Set(["23505", "40001", "40P01"]);

/** Codes with which Postgres ends sessions or refuses them while it stops or starts: connection exceptions and shutdowns. */
const endedSession = /^(08...|57P0[123])$/;

/** Rows in the tables of one schema of Postgres. Several processes may use it at the same time. */
export class PostgresBacking implements Backing {
  readonly #pool: Pool;
  readonly #schema: string;

  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = escapeIdentifier(schema);
  }

  begin(access: Access): Transaction {
    return new PostgresTransaction(this.#pool, this.#schema, access);
  }
}

/**
 * A transaction that takes one round trip for each load, and one for its commit. It begins together with the first load.
 * The end of a transaction that has changed nothing is not waited for.
 */
class PostgresTransaction implements Transaction {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #access: Access;
  #client: Promise<PoolClient> | undefined;

  constructor(pool: Pool, schema: string, access: Access) {
    this.#pool = pool;
    this.#schema = schema;
    this.#access = access;
  }

  async load(wants: readonly Want[]): Promise<readonly Found[]> {
    const reads = readsOf(this.#schema, wants);
    const results = await this.#send(reads.map(({ text }) => text));
    const found = new Map<Want, Found>();
    reads.forEach((read, index) => {
      const each = read.found(results[index]?.rows ?? []);
      read.wants.forEach((want, at) => found.set(want, each[at] ?? []));
    });
    return wants.map((want) => found.get(want) ?? []);
  }

  async commit(changes: readonly TableChanges[]): Promise<void> {
    if (changes.length === 0) this.#end("commit");
    else {
      await this.#send([...writesOf(this.#schema, changes), "commit"]);
      this.#release();
    }
  }

  rollback(): Promise<void> {
    this.#end("rollback");
    return Promise.resolve();
  }

  /** Sends statements in one trip and returns their results. Begins the transaction with the first ones. */
  async #send(statements: readonly string[]): Promise<QueryResult<Result>[]> {
    const isFirst = this.#client === undefined;
    const beginning = isFirst ? this.#beginning() : [];
    try {
      this.#client ??= this.#pool.connect();
      const client = await this.#client;
      // Several statements have several results, which the types of the driver do not say.
      const results: unknown = await client.query<Result>([...beginning, ...statements].join(";\n"));
      const all = (Array.isArray(results) ? results : [results]) as QueryResult<Result>[];
      return all.slice(beginning.length);
    } catch (error) {
      throw translate(error);
    }
  }

  #beginning(): string[] {
    if (this.#access.mode === "read") return ["begin isolation level repeatable read read only"];
    // All transactions take their locks in the same order, so that none waits for another in a circle.
    const locks = [...new Set(this.#access.locks)].sort();
    return [
      "begin isolation level read committed",
      ...locks.map((lock) => `select pg_advisory_xact_lock(hashtextextended(${literal(lock)}, 0))`),
    ];
  }

  #end(statement: "commit" | "rollback"): void {
    const client = this.#client;
    this.#client = undefined;
    client
      ?.then((open) =>
        open.query(statement).then(
          () => open.release(),
          () => open.release(true),
        ),
      )
      // There is no connection to release.
      .catch(() => undefined);
  }

  #release(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.then((open) => open.release());
  }
}

const translate = (error: unknown): unknown => {
  if (error instanceof DatabaseError && !endedSession.test(error.code ?? "")) {
    return conflicts.has(error.code ?? "") ? new ConflictError(error.message, { cause: error }) : error;
  }
  // All other errors of the driver are about the connection.
  return new DatabaseUnavailableError("Postgres cannot be reached", { cause: error });
};
