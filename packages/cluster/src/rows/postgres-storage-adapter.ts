import { DatabaseUnavailableError, OutcomeUnknownError } from "@mgmt/engine";
import {
  type TransactionOptions,
  type StorageAdapter,
  ConflictError,
  type LoadResult,
  type TableChanges,
  type Transaction,
  type Preload,
} from "@mgmt/engine/internal";
import { type Pool, type PoolClient, escapeIdentifier } from "pg";
import { isFullError, retryWhileFull } from "../connection/retry-while-full.js";
import {
  isOutOfLocksError,
  isRejectedStatementError,
  toUnavailableError,
} from "../connection/unavailable.js";
import { type Statement, isStalePreparedStatementError, runBatch, createStatement } from "./batch.js";
import { determineCommitOutcome, isConnectionLossError } from "./commit-outcome.js";
import {
  type LoadPlan,
  type BatchResults,
  type RowSource,
  commitStatement,
  isRateLimitCount,
  planReadOnlyLoad,
  planLoadInTransaction,
} from "./load-plans.js";
import type { RecordKeys } from "./record-keys.js";
import { type AlteredSecretError, RowCodec } from "./row-codec.js";
import { RowCache } from "./row-cache.js";
import { type WriteLockOptions, FairWriteLock } from "../connection/fair-write-lock.js";
import type { Installation } from "../policy/installation.js";
import { buildWriteStatements, encodeChanges, type EncodedChanges } from "./writes.js";

/** Codes of errors after which a callback runs again: unique_violation, serialization_failure, deadlock_detected. */
const conflictCodes: ReadonlySet<string> = new Set(["23505", "40001", "40P01"]);

/** The limits and keys of transactions on the records. */
export interface StorageOptions {
  readonly installation: Installation;
  /** How long a commit waits to learn whether it took effect, in milliseconds. */
  readonly commitCheckTimeoutMs: number;
  readonly writeLockOptions: WriteLockOptions;
  readonly keys: RecordKeys;
  /** Called again and again while a request waits for Postgres for long. */
  readonly onSlow?: (() => void) | undefined;
  /** Receives the error of a secret that cannot be decrypted, in a row that can be read nevertheless. */
  readonly onAltered: (error: AlteredSecretError) => void;
}

/** The parts that all transactions of one process share. */
interface TransactionResources extends RowSource {
  readonly pool: Pool;
  readonly onSlow: () => void;
  /** Counts round trips to Postgres. */
  readonly trips: { count: number };
  readonly schema: string;
  readonly installation: Installation;
  readonly commitCheckTimeoutMs: number;
  readonly writeLock: FairWriteLock;
  readonly keys: RecordKeys;
  readonly codec: RowCodec;
}

/** Stores rows in the tables of one Postgres schema. Several processes may use the schema at the same time. */
export class PostgresStorageAdapter implements StorageAdapter {
  readonly #resources: TransactionResources;

  constructor(
    pool: Pool,
    schema: string,
    {
      installation,
      commitCheckTimeoutMs,
      writeLockOptions,
      keys,
      onSlow = () => undefined,
      onAltered,
    }: StorageOptions,
  ) {
    const codec = new RowCodec(keys, onAltered);
    this.#resources = {
      ...{ pool, schema, installation, commitCheckTimeoutMs, keys, onSlow, codec, trips: { count: 0 } },
      schemaIdentifier: escapeIdentifier(schema),
      writeLock: new FairWriteLock(writeLockOptions),
      rowCache: new RowCache(codec),
    };
  }

  /** Round trips to Postgres since this process opened the records. */
  get tripCount(): number {
    return this.#resources.trips.count;
  }

  /** Clears the cache of loaded rows, because another instance of Postgres has replaced the previous one. */
  clearRowCache(): void {
    this.#resources.rowCache.clear();
  }

  begin({ mode, locks }: TransactionOptions): Transaction {
    return mode === "read"
      ? new ReadTransaction(this.#resources)
      : new WriteTransaction(this.#resources, locks);
  }
}

/** Returns the statement that waits until no transaction changes rows, and lets none begin, because it replaces all rows. */
export const buildLockAllRowsSql = (installation: Installation): string =>
  `select pg_advisory_xact_lock(${installation.toLockKey(stateLockName)})`;

/** A transaction that may change rows shares this lock. */
const stateLockName = "state";

const rollbackStatement = createStatement("rollback");
const beginStatement = createStatement("begin isolation level read committed");

/** A transaction that takes one round trip for each load. Each load sees a snapshot of its own, and nothing is open afterward. */
class ReadTransaction implements Transaction {
  readonly #resources: TransactionResources;

  constructor(resources: TransactionResources) {
    this.#resources = resources;
  }

  async load(preloads: readonly Preload[]): Promise<readonly LoadResult[]> {
    const loadPlan = planReadOnlyLoad(this.#resources, preloads);
    const results = await retryWhileFull(() => runOnPooledConnection(this.#resources, loadPlan));
    return this.#resources.keys.withNewKeys(() => loadPlan.toLoadResults(results));
  }

  commit(): Promise<void> {
    return Promise.resolve();
  }

  rollback(): Promise<void> {
    return Promise.resolve();
  }
}

/** How long a request waits for Postgres before that is slow, in milliseconds. */
const slowMs = 1_000;

/** Runs a callback. While it takes long, calls `onSlow` regularly. */
const reportSlowness = async <T>(onSlow: () => void, callback: () => Promise<T>): Promise<T> => {
  const timer = setInterval(onSlow, slowMs).unref();
  try {
    return await callback();
  } finally {
    clearInterval(timer);
  }
};

/** Runs statements on a connection of their own. */
const runOnPooledConnection = async (
  { pool, trips, onSlow }: Pick<TransactionResources, "pool" | "trips" | "onSlow">,
  { statements }: LoadPlan,
): Promise<BatchResults> => {
  if (statements.length === 0) return [];
  trips.count += 1;
  let client: PoolClient | undefined;
  try {
    const results = await reportSlowness(onSlow, async () => {
      client = await pool.connect();
      return runBatch(client, statements);
    });
    client?.release();
    return results;
  } catch (error) {
    // The connection may be in a transaction. A new one cannot be opened while tenants have all locks.
    if (client !== undefined && isOutOfLocksError(error)) await finishAndRelease(client, rollbackStatement);
    else client?.release(true);
    throw toStorageError(error);
  }
};

const finishAndRelease = (client: PoolClient, finalStatement: Statement): Promise<void> =>
  runBatch(client, [finalStatement]).then(
    () => client.release(),
    () => client.release(true),
  );

/**
 * A transaction that takes one round trip for each load and one for its commit. It begins together with the first of them. A
 * transaction that has changed nothing does not wait for its end.
 */
class WriteTransaction implements Transaction {
  readonly #resources: TransactionResources;
  readonly #lockNames: readonly string[];
  #client: Promise<PoolClient> | undefined;
  /** Releases the write lock of the transaction. */
  #releaseLock = (): void => undefined;

  constructor(resources: TransactionResources, locks: readonly string[]) {
    this.#resources = resources;
    this.#lockNames = locks;
  }

  load(preloads: readonly Preload[]): Promise<readonly LoadResult[]> {
    return this.#runOrRestart(() =>
      this.#client === undefined
        ? this.#load(planLoadInTransaction(this.#resources, preloads, this.#beginStatements()))
        : this.#loadMore(preloads),
    );
  }

  async #loadMore(preloads: readonly Preload[]): Promise<readonly LoadResult[]> {
    const [rateLimitPreloads, rowPreloads] = [
      preloads.filter(isRateLimitCount),
      preloads.filter((preload) => !isRateLimitCount(preload)),
    ];
    if (rateLimitPreloads.length === 0)
      return this.#load(planLoadInTransaction(this.#resources, preloads, []));
    // The window must not stay locked until the transaction ends.
    const rateLimitLoad = planReadOnlyLoad(this.#resources, rateLimitPreloads);
    const rateLimitResults = rateLimitLoad.toLoadResults(
      await runOnPooledConnection(this.#resources, rateLimitLoad),
    );
    const rowResults = await this.#load(planLoadInTransaction(this.#resources, rowPreloads, []));
    return preloads.map(
      (preload) =>
        (isRateLimitCount(preload)
          ? rateLimitResults[rateLimitPreloads.indexOf(preload)]
          : rowResults[rowPreloads.indexOf(preload)]) ?? [],
    );
  }

  /**
   * Runs a callback, which begins the transaction unless an earlier one has. Repeats the beginning while Postgres lacks something for it. Later
   * callbacks cannot be repeated alone.
   *
   * @throws ConflictError when the callback must run again, because tenants have all locks of the server. Its next transaction waits for them.
   */
  async #runOrRestart<T>(callback: () => Promise<T>): Promise<T> {
    if (this.#client === undefined)
      return retryWhileFull(() =>
        callback().catch(async (error: unknown) => {
          if (isFullError(error)) await this.#finishInBackground(rollbackStatement);
          throw error;
        }),
      );
    try {
      return await callback();
    } catch (error) {
      if (!isOutOfLocksError(error)) throw error;
      throw new ConflictError("All locks of Postgres are taken", { cause: error });
    }
  }

  async #load({ statements, toLoadResults }: LoadPlan): Promise<readonly LoadResult[]> {
    const results = statements.length === 0 ? [] : await this.#runStatements(statements);
    return this.#resources.keys.withNewKeys(() => toLoadResults(results));
  }

  async commit(changes: readonly TableChanges[]): Promise<void> {
    if (changes.length === 0) {
      void this.#finishInBackground(commitStatement);
      return;
    }
    // Encoded once, so that a lost commit is recognized by the rows that it would have stored.
    const encodedChanges = encodeChanges(this.#resources.codec, changes);
    try {
      await this.#runOrRestart(() =>
        this.#runStatements([
          // The callback has loaded nothing in this transaction.
          ...(this.#client === undefined ? this.#beginStatements() : []),
          ...buildWriteStatements(this.#resources.schemaIdentifier, encodedChanges),
          commitStatement,
        ]),
      );
    } catch (error) {
      // Postgres has refused the connection, or the statements.
      if (isFullError(error)) throw error;
      const isOutcomeUnknown =
        error instanceof DatabaseUnavailableError && isConnectionLossError(error.cause);
      if (!isOutcomeUnknown) throw error;
      return this.#resolveLostCommit(encodedChanges, error);
    }
    this.#releaseClientAndLock();
  }

  /** Finds out whether a commit whose response was lost took effect. */
  async #resolveLostCommit(
    changes: readonly EncodedChanges[],
    error: DatabaseUnavailableError,
  ): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    // The driver knows the process id, but its types do not.
    const backendPid = (client as { processID?: number | null } | undefined)?.processID ?? null;
    client?.release(true);
    this.#releaseLock();
    const { pool, schema, commitCheckTimeoutMs } = this.#resources;
    const outcome = await determineCommitOutcome({
      pool,
      schema,
      backendPid,
      changes,
      timeoutMs: commitCheckTimeoutMs,
    });
    if (outcome === "committed") return;
    if (outcome === "not committed") throw new ConflictError("The connection was lost before the commit");
    throw new OutcomeUnknownError("The connection was lost during a commit", { cause: error });
  }

  rollback(): Promise<void> {
    void this.#finishInBackground(rollbackStatement);
    return Promise.resolve();
  }

  async #runStatements(statements: readonly Statement[]): Promise<BatchResults> {
    this.#resources.trips.count += 1;
    try {
      this.#client ??= this.#connect();
      const client = this.#client;
      return await reportSlowness(this.#resources.onSlow, async () => runBatch(await client, statements));
    } catch (error) {
      throw toStorageError(error);
    }
  }

  #beginStatements(): Statement[] {
    // All transactions take their locks in the same order, which prevents deadlocks.
    const sortedNames = [...new Set(this.#lockNames)].sort();
    const { installation } = this.#resources;
    const keys = [stateLockName, ...sortedNames.map((lockName) => `lock ${lockName}`)];
    const lockCalls = sortedNames.map((_, index) => `, pg_advisory_xact_lock($${String(index + 2)})`);
    return [
      beginStatement,
      createStatement(
        `select pg_advisory_xact_lock_shared($1)${lockCalls.join("")}`,
        ...keys.map((key) => installation.toLockKey(key)),
      ),
    ];
  }

  /** Never fails. */
  async #finishInBackground(finalStatement: Statement): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client
      ?.then((openClient) => finishAndRelease(openClient, finalStatement))
      // The connection could not be opened, so there is none to release.
      .catch(() => undefined)
      .finally(() => this.#releaseLock());
  }

  #releaseClientAndLock(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.then((openClient) => openClient.release());
    this.#releaseLock();
  }

  async #connect(): Promise<PoolClient> {
    const { pool, writeLock } = this.#resources;
    this.#releaseLock = await writeLock.acquire(this.#lockNames);
    return pool.connect();
  }
}

/** Translates an error of the driver: a conflict, an unavailable database, or the error itself. */
export const toStorageError = (error: unknown): unknown => {
  if (!isRejectedStatementError(error)) return toUnavailableError(error);
  return conflictCodes.has(error.code ?? "") || isStalePreparedStatementError(error)
    ? new ConflictError(error.message, { cause: error })
    : error;
};
