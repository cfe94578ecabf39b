import {
  type Access,
  type Backing,
  ConflictError,
  DatabaseUnavailableError,
  type Found,
  OutcomeUnknownError,
  type TableChanges,
  type Transaction,
  type Want,
} from "@mgmt/engine";
import { DatabaseError, type Pool, type PoolClient, type QueryResult, escapeIdentifier } from "pg";
import { isTemporary, unavailable } from "../postgres/unavailable.js";
import { findOutcome, isLost } from "./commit-outcome.js";
import { type Result, literal, readsOf } from "./reads.js";
import { type WriterLimits, WriterTurns } from "./writer-turns.js";
import { writesOf } from "./writes.js";

/** Codes of errors after which a step runs again: unique_violation, serialization_failure, deadlock_detected. */
const conflicts: ReadonlySet<string> = new Set(["23505", "40001", "40P01"]);

export interface BackingLimits {
  /** How long a commit waits to learn whether it took effect, in milliseconds. */
  readonly patience: number;
  readonly writers: WriterLimits;
}

/** What the transactions of one process share. */
interface Shared {
  readonly pool: Pool;
  readonly schema: string;
  readonly patience: number;
  readonly turns: WriterTurns;
}

/** Stores rows in the tables of one Postgres schema. Several processes may use the schema at the same time. */
export class PostgresBacking implements Backing {
  readonly #shared: Shared;

  constructor(pool: Pool, schema: string, { patience, writers }: BackingLimits) {
    this.#shared = { pool, schema, patience, turns: new WriterTurns(writers) };
  }

  begin(access: Access): Transaction {
    return new PostgresTransaction(this.#shared, access);
  }
}

/**
 * Returns the statement that locks all tables: `shared` for transactions that change rows, `exclusive` for one that replaces
 * all of them.
 */
export const lockState = (schema: string, mode: "shared" | "exclusive"): string =>
  `select pg_advisory_xact_lock${mode === "shared" ? "_shared" : ""}(${lockKey(schema, "state")})`;

/** Returns the SQL expression for the key of a lock. Each schema has its own locks. */
export const lockKey = (schema: string, name: string): string =>
  `hashtextextended(${literal(`${schema} ${name}`)}, 0)`;

/**
 * A transaction that takes one round trip for each load and one for its commit. It begins together with the first load. A
 * transaction that has changed nothing does not wait for its end.
 */
class PostgresTransaction implements Transaction {
  readonly #shared: Shared;
  /** The name of the schema as an SQL identifier. */
  readonly #schema: string;
  readonly #access: Access;
  #client: Promise<PoolClient> | undefined;
  /** Ends the turn of a transaction that writes. */
  #endTurn = (): void => undefined;

  constructor(shared: Shared, access: Access) {
    this.#shared = shared;
    this.#schema = escapeIdentifier(shared.schema);
    this.#access = access;
  }

  async load(wants: readonly Want[]): Promise<readonly Found[]> {
    // Counting a request takes effect at once, so it has its own transaction.
    const hits = readsOf(this.#schema, wants.filter(isHit));
    const reads = readsOf(
      this.#schema,
      wants.filter((want) => !isHit(want)),
    );
    const results = await this.#send(
      reads.map(({ text }) => text),
      hits.map(({ text }) => text),
    );
    const found = new Map<Want, Found>();
    [...hits, ...reads].forEach((read, index) => {
      const each = read.found(results[index]?.rows ?? []);
      read.wants.forEach((want, at) => found.set(want, each[at] ?? []));
    });
    return wants.map((want) => found.get(want) ?? []);
  }

  async commit(changes: readonly TableChanges[]): Promise<void> {
    if (changes.length === 0) {
      this.#end("commit");
      return;
    }
    try {
      await this.#send([...writesOf(this.#schema, changes), "commit"]);
    } catch (error) {
      const isUnknown = error instanceof DatabaseUnavailableError && isLost(error.cause);
      if (!isUnknown) throw error;
      return this.#settle(changes, error);
    }
    this.#release();
  }

  /** Finds out whether a commit whose response was lost took effect. */
  async #settle(changes: readonly TableChanges[], error: DatabaseUnavailableError): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    // The driver knows the process id, but its types do not.
    const backend = (client as { processID?: number | null } | undefined)?.processID ?? null;
    client?.release(true);
    this.#endTurn();
    const { pool, schema, patience } = this.#shared;
    const outcome = await findOutcome({ pool, schema, backend, changes, patience });
    if (outcome === "committed") return;
    if (outcome === "not committed") throw new ConflictError("The connection was lost before the commit");
    throw new OutcomeUnknownError("The connection was lost during a commit", { cause: error });
  }

  rollback(): Promise<void> {
    this.#end("rollback");
    return Promise.resolve();
  }

  /**
   * Sends statements in one round trip and returns their results. Begins the transaction with the first ones.
   *
   * @param before statements to commit first, in a transaction of their own.
   */
  async #send(statements: readonly string[], before: readonly string[] = []): Promise<QueryResult<Result>[]> {
    const isFirst = this.#client === undefined;
    try {
      const counted = isFirst || before.length === 0 ? [] : await this.#query(this.#shared.pool, [...before]);
      const [committed, beginning] = isFirst
        ? [before.length === 0 ? [] : ["begin", ...before, "commit"], this.#beginning()]
        : [[], []];
      this.#client ??= this.#connect();
      const all = await this.#query(await this.#client, [...committed, ...beginning, ...statements]);
      const own = committed.length === 0 ? [] : all.slice(1, committed.length - 1);
      return [...counted, ...own, ...all.slice(committed.length + beginning.length)];
    } catch (error) {
      throw translate(error);
    }
  }

  async #query(client: Pick<PoolClient, "query">, statements: string[]): Promise<QueryResult<Result>[]> {
    // Several statements have several results, which the types of the driver do not say.
    const results: unknown = await client.query<Result>(statements.join(";\n"));
    return (Array.isArray(results) ? results : [results]) as QueryResult<Result>[];
  }

  #beginning(): string[] {
    if (this.#access.mode === "read") return ["begin isolation level repeatable read read only"];
    // All transactions take their locks in the same order, which prevents deadlocks.
    const locks = [...new Set(this.#access.locks)].sort();
    const { schema } = this.#shared;
    return [
      "begin isolation level read committed",
      lockState(schema, "shared"),
      ...locks.map((lock) => `select pg_advisory_xact_lock(${lockKey(schema, `lock ${lock}`)})`),
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
      .catch(() => undefined)
      .finally(() => this.#endTurn());
  }

  #release(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.then((open) => open.release());
    this.#endTurn();
  }

  async #connect(): Promise<PoolClient> {
    const { pool, turns } = this.#shared;
    if (this.#access.mode === "write") this.#endTurn = await turns.take(this.#access.locks);
    return pool.connect();
  }
}

const isHit = ({ read }: Want): boolean => read === "hit";

/** Translates an error of the driver: a conflict, an unavailable database, or the error itself. */
export const translate = (error: unknown): unknown => {
  if (error instanceof DatabaseError && !isTemporary(error)) {
    return conflicts.has(error.code ?? "") ? new ConflictError(error.message, { cause: error }) : error;
  }
  // All other errors of the driver are about the connection.
  return unavailable(error);
};
