import {
  type TransactionOptions,
  type StorageAdapter,
  ConflictError,
  type Transaction,
} from "./storage-adapter.js";
import { PartialTables } from "./partial-tables.js";
import { type LoadResult, type LoadedRows, type Preload, buildPreloadKey } from "./preload.js";
import { WorkingSet } from "./working-set.js";

/** One run of a callback. */
export interface CallbackRun {
  readonly tables: PartialTables;
  /** Number of earlier runs of this callback: 0 in the first run. */
  readonly earlierRunCount: number;
}

export interface ReplayOptions {
  readonly transactionOptions: TransactionOptions;
  /** The rows to load before the first run, because the callback probably needs them. */
  readonly preloads?: readonly Preload[];
  /** Receives the rows that a read transaction loads. A write transaction begins with it, unless it runs again. */
  readonly loadedRows?: LoadedRows | undefined;
  /** Returns whether an error of the callback is a rejection, which commits the changes made before it. Other errors roll back. */
  readonly isRejection: (error: unknown) => boolean;
}

/** Maximum number of conflicts of one callback. With locks, there is rarely more than one. */
const maxConflicts = 20;

/** Maximum number of runs of a callback in one transaction. Each run has more rows than the previous one. */
const maxRuns = 1_000;

/**
 * Runs a synchronous function, the callback, in a transaction. Rows are loaded on demand: when the callback reads a row that is not
 * loaded, the row is loaded and the callback runs again from its start. The callback must therefore do the same in every run, so its
 * ids, secrets and times must come from outside.
 *
 * Commits the changes of the last run, even if the callback ends with a rejection. Rolls back if it ends with another error. A callback
 * that changes rows in a read transaction runs again in a write transaction.
 *
 * @throws the error of the callback.
 */
export const runInTransaction = async <T>(
  storage: StorageAdapter,
  callback: (run: CallbackRun) => T,
  { transactionOptions, preloads = [], loadedRows, isRejection }: ReplayOptions,
): Promise<T> => {
  let currentOptions = transactionOptions;
  let runCount = 0;
  const countedRequests: CountedRequest[] = [];
  for (let conflictCount = 0; ;) {
    const transaction = storage.begin(currentOptions);
    try {
      const isReading = currentOptions.mode === "read";
      const outcome = await runUntilLoaded(transaction, callback, {
        ...{ preloads, loadedRows, countedRequests, isReading },
        ...{ isStrict: conflictCount > 0, earlierRunCount: runCount },
      });
      runCount = outcome.runCount;
      const shouldCommit = "value" in outcome || isRejection(outcome.error);
      if (shouldCommit && outcome.changes.length > 0 && currentOptions.mode === "read") {
        await transaction.rollback();
        currentOptions = { ...transactionOptions, mode: "write" };
        continue;
      }
      if (shouldCommit) await transaction.commit(outcome.changes);
      else await transaction.rollback();
      if ("value" in outcome) return outcome.value;
      throw new CallbackError(outcome.error);
    } catch (error) {
      if (error instanceof CallbackError) throw error.cause;
      await transaction.rollback();
      conflictCount += 1;
      if (!(error instanceof ConflictError) || conflictCount > maxConflicts) throw error;
    }
  }
};

/** Wraps an error of a callback whose transaction is complete, to distinguish it from an error of the transaction. */
class CallbackError extends Error {
  constructor(cause: unknown) {
    super("The callback failed", { cause });
  }
}

/** A request that the rate limit has counted. Further transactions of the same callback do not count it again. */
type CountedRequest = readonly [preload: Preload, result: LoadResult];

type CallbackOutcome<T> = { readonly runCount: number; readonly changes: PartialTables["changes"] } & (
  | { readonly value: T }
  | { readonly error: unknown }
);

interface CallbackRunOptions {
  readonly preloads: readonly Preload[];
  readonly loadedRows: LoadedRows | undefined;
  readonly countedRequests: CountedRequest[];
  readonly isReading: boolean;
  readonly isStrict: boolean;
  /** Number of earlier runs. */
  readonly earlierRunCount: number;
}

const runUntilLoaded = async <T>(
  transaction: Transaction,
  callback: (run: CallbackRun) => T,
  { preloads, loadedRows, countedRequests, isReading, isStrict, earlierRunCount }: CallbackRunOptions,
): Promise<CallbackOutcome<T>> => {
  let workingSet = createWorkingSet(countedRequests);
  let loadedPreloads: readonly Preload[] = [];
  const knownRows = isReading ? [] : (loadedRows?.consume() ?? []);
  for (const [preload, result] of knownRows) workingSet.add([preload], [result]);
  const knownKeys = new Set(knownRows.map(([preload]) => buildPreloadKey(preload)));
  let missingPreloads = preloads.filter(
    (preload) =>
      (preload.read !== "hit" || countedRequests.length === 0) &&
      (knownKeys.size === 0 || !knownKeys.has(buildPreloadKey(preload))),
  );
  for (let runIndex = earlierRunCount; runIndex < earlierRunCount + maxRuns; runIndex += 1) {
    if (missingPreloads.length > 0 || (runIndex === earlierRunCount && knownRows.length === 0)) {
      if (isReading && runIndex > earlierRunCount) {
        // The next load sees another snapshot, so all rows come from it.
        missingPreloads = [...loadedPreloads, ...missingPreloads];
        workingSet = createWorkingSet(countedRequests);
      }
      const results = await transaction.load(missingPreloads);
      workingSet.add(missingPreloads, results);
      if (isReading) loadedRows?.set(missingPreloads, results);
      missingPreloads.forEach((preload, index) => {
        if (preload.read === "hit") countedRequests.push([preload, results[index] ?? []]);
      });
      loadedPreloads = missingPreloads.filter(({ read }) => read !== "hit");
    }
    const tables = new PartialTables(workingSet, { isStrict });
    const runResult = runCallback(callback, { tables, earlierRunCount: runIndex });
    // The callback may have caught `MissingRowsError`, so look at the missed rows instead of the error.
    missingPreloads = workingSet.consumeMissedPreloads();
    if (missingPreloads.length === 0)
      return { ...runResult, runCount: runIndex + 1, changes: tables.changes };
  }
  throw new Error(`The callback still misses ${missingPreloads.map(buildPreloadKey).join(", ")}`);
};

const createWorkingSet = (countedHits: readonly CountedRequest[]): WorkingSet => {
  const workingSet = new WorkingSet();
  for (const [preload, result] of countedHits) workingSet.add([preload], [result]);
  return workingSet;
};

const runCallback = <T>(
  callback: (run: CallbackRun) => T,
  run: CallbackRun,
): { value: T } | { error: unknown } => {
  try {
    return { value: callback(run) };
  } catch (error) {
    return { error };
  }
};
