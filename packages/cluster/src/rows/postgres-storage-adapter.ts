import { DatabaseUnavailableError, OutcomeUnknownError } from "@mgmt/engine";
import {
  type Access,
  type StorageAdapter,
  ConflictError,
  type LoadResult,
  type TableChanges,
  type Transaction,
  type Preload,
} from "@mgmt/engine/internal";
import { type Pool, type PoolClient, escapeIdentifier } from "pg";
import { isRefusal, unavailable } from "../connection/unavailable.js";
import { type Statement, isStale, runBatch, statement } from "./batch.js";
import { findOutcome, isLost } from "./commit-outcome.js";
import { toStorable } from "./json-text.js";
import { type Load, type Results, type Source, commit, isHit, loadAlone, loadWithin } from "./loads.js";
import { literal } from "./reads.js";
import { RowCache } from "./row-cache.js";
import { type WriteLockLimits, FairWriteLock } from "../connection/fair-write-lock.js";
import { writesOf } from "./writes.js";

/** Codes of errors after which a step runs again: unique_violation, serialization_failure, deadlock_detected. */
const conflicts: ReadonlySet<string> = new Set(["23505", "40001", "40P01"]);

export interface StorageLimits {
  /** How long a commit waits to learn whether it took effect, in milliseconds. */
  readonly patience: number;
  readonly writers: WriteLockLimits;
}

/** The parts that all transactions of one process share. */
interface Shared extends Source {
  readonly pool: Pool;
  readonly schema: string;
  readonly patience: number;
  readonly writeLock: FairWriteLock;
}

/** Stores rows in the tables of one Postgres schema. Several processes may use the schema at the same time. */
export class PostgresStorageAdapter implements StorageAdapter {
  readonly #shared: Shared;

  constructor(pool: Pool, schema: string, { patience, writers }: StorageLimits) {
    this.#shared = {
      ...{ pool, schema, patience },
      identifier: escapeIdentifier(schema),
      writeLock: new FairWriteLock(writers),
      rows: new RowCache(),
    };
  }

  begin({ mode, locks }: Access): Transaction {
    return mode === "read" ? new ReadTransaction(this.#shared) : new WriteTransaction(this.#shared, locks);
  }
}

/** Returns the statement that waits until no transaction changes rows, and lets none begin, because it replaces all rows. */
export const lockState = (schema: string): string =>
  `select pg_advisory_xact_lock(${lockKey(schema, "state")})`;

/** Returns the SQL expression for the key of a lock. Each schema has its own locks. */
export const lockKey = (schema: string, name: string): string =>
  `hashtextextended(${literal(`${schema} ${name}`)}, 0)`;

/** The expression for the key of the lock whose schema and name are the first parameter. */
const keyOfLock = "hashtextextended($1, 0)";

const rollback = statement("rollback");
const beginWriting = statement("begin isolation level read committed");

/** A transaction that takes one round trip for each load. Each load sees a snapshot of its own, and nothing is open afterward. */
class ReadTransaction implements Transaction {
  readonly #shared: Shared;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  async load(preloads: readonly Preload[]): Promise<readonly LoadResult[]> {
    const load = loadAlone(this.#shared, preloads);
    return load.rowsOf(await runAlone(this.#shared.pool, load));
  }

  commit(): Promise<void> {
    return Promise.resolve();
  }

  rollback(): Promise<void> {
    return Promise.resolve();
  }
}

/** Runs statements on a connection of their own. */
const runAlone = async (pool: Pool, { statements }: Load): Promise<Results> => {
  if (statements.length === 0) return [];
  let client: PoolClient | undefined;
  try {
    client = await pool.connect();
    const results = await runBatch(client, statements);
    client.release();
    return results;
  } catch (error) {
    // The connection may be in a transaction.
    client?.release(true);
    throw translate(error);
  }
};

/**
 * A transaction that takes one round trip for each load and one for its commit. It begins together with the first load. A
 * transaction that has changed nothing does not wait for its end.
 */
class WriteTransaction implements Transaction {
  readonly #shared: Shared;
  readonly #locks: readonly string[];
  #client: Promise<PoolClient> | undefined;
  /** Releases the write lock of the transaction. */
  #releaseLock = (): void => undefined;

  constructor(shared: Shared, locks: readonly string[]) {
    this.#shared = shared;
    this.#locks = locks;
  }

  async load(preloads: readonly Preload[]): Promise<readonly LoadResult[]> {
    if (this.#client === undefined) return this.#load(loadWithin(this.#shared, preloads, this.#beginning()));
    const [hits, others] = [preloads.filter(isHit), preloads.filter((preload) => !isHit(preload))];
    if (hits.length === 0) return this.#load(loadWithin(this.#shared, preloads, []));
    // The window must not stay locked until the transaction ends.
    const counting = loadAlone(this.#shared, hits);
    const counted = counting.rowsOf(await runAlone(this.#shared.pool, counting));
    const read = await this.#load(loadWithin(this.#shared, others, []));
    return preloads.map(
      (preload) => (isHit(preload) ? counted[hits.indexOf(preload)] : read[others.indexOf(preload)]) ?? [],
    );
  }

  async #load({ statements, rowsOf }: Load): Promise<readonly LoadResult[]> {
    return rowsOf(statements.length === 0 ? [] : await this.#run(statements));
  }

  async commit(changes: readonly TableChanges[]): Promise<void> {
    if (changes.length === 0) {
      this.#end(commit);
      return;
    }
    try {
      await this.#run([...writesOf(this.#shared.identifier, changes), commit]);
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
    this.#releaseLock();
    const { pool, schema, patience } = this.#shared;
    const outcome = await findOutcome({ pool, schema, backend, changes, patience });
    if (outcome === "committed") return;
    if (outcome === "not committed") throw new ConflictError("The connection was lost before the commit");
    throw new OutcomeUnknownError("The connection was lost during a commit", { cause: error });
  }

  rollback(): Promise<void> {
    this.#end(rollback);
    return Promise.resolve();
  }

  async #run(statements: readonly Statement[]): Promise<Results> {
    try {
      this.#client ??= this.#connect();
      return await runBatch(await this.#client, statements);
    } catch (error) {
      throw translate(error);
    }
  }

  #beginning(): Statement[] {
    // All transactions take their locks in the same order, which prevents deadlocks.
    const locks = [...new Set(this.#locks)].sort();
    const { schema } = this.#shared;
    return [
      beginWriting,
      statement(`select pg_advisory_xact_lock_shared(${keyOfLock})`, toStorable(`${schema} state`)),
      ...locks.map((lock) =>
        statement(`select pg_advisory_xact_lock(${keyOfLock})`, toStorable(`${schema} lock ${lock}`)),
      ),
    ];
  }

  #end(last: Statement): void {
    const client = this.#client;
    this.#client = undefined;
    client
      ?.then((open) =>
        runBatch(open, [last]).then(
          () => open.release(),
          () => open.release(true),
        ),
      )
      // There is no connection to release.
      .catch(() => undefined)
      .finally(() => this.#releaseLock());
  }

  #release(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.then((open) => open.release());
    this.#releaseLock();
  }

  async #connect(): Promise<PoolClient> {
    const { pool, writeLock } = this.#shared;
    this.#releaseLock = await writeLock.acquire(this.#locks);
    return pool.connect();
  }
}

/** Translates an error of the driver: a conflict, an unavailable database, or the error itself. */
export const translate = (error: unknown): unknown => {
  if (!isRefusal(error)) return unavailable(error);
  return conflicts.has(error.code ?? "") || isStale(error)
    ? new ConflictError(error.message, { cause: error })
    : error;
};
