import {
  type TransactionOptions,
  type StorageAdapter,
  ConflictError,
  type Transaction,
} from "./storage-adapter.js";
import { PartialTables } from "./partial-tables.js";
import { type LoadResult, type LoadedRows, type Preload, buildPreloadKey } from "./preload.js";
import { WorkingSet } from "./working-set.js";

/** One run of a step. */
export interface StepRun {
  readonly tables: PartialTables;
  /** Number of earlier runs of this step: 0 in the first run. */
  readonly earlierRunCount: number;
}

export interface ReplayOptions {
  readonly transactionOptions: TransactionOptions;
  /** The rows to load before the first run, because the step probably needs them. */
  readonly preloads?: readonly Preload[];
  /** Receives what a read transaction loads. A write transaction begins with it, unless it runs again. */
  readonly loadedRows?: LoadedRows | undefined;
  /** Returns whether an error of the step is a refusal, which commits the changes made before it. Other errors roll back. */
  readonly isRefusal: (error: unknown) => boolean;
}

/** Maximum number of conflicts of one step. With locks, there is rarely more than one. */
const maxConflicts = 20;

/** Maximum number of runs of a step in one transaction. Each run has more rows than the previous one. */
const maxRuns = 1_000;

/**
 * Runs a synchronous function, the step, in a transaction. Rows are loaded on demand: when the step reads a row that is not
 * loaded, the row is loaded and the step runs again from its start. The step must therefore do the same in every run, so its
 * ids, secrets and times must come from outside.
 *
 * Commits the changes of the last run, even if the step ends with a refusal. Rolls back if it ends with another error. A step
 * that changes rows in a read transaction runs again in a write transaction.
 *
 * @throws the error of the step.
 */
export const runInTransaction = async <T>(
  storage: StorageAdapter,
  step: (run: StepRun) => T,
  { transactionOptions, preloads = [], loadedRows, isRefusal }: ReplayOptions,
): Promise<T> => {
  let currentOptions = transactionOptions;
  let runCount = 0;
  const countedRequests: CountedRequest[] = [];
  for (let conflictCount = 0; ;) {
    const transaction = storage.begin(currentOptions);
    try {
      const isReading = currentOptions.mode === "read";
      const stepEnd = await runUntilLoaded(transaction, step, {
        ...{ preloads, loadedRows, countedRequests, isReading },
        ...{ isStrict: conflictCount > 0, earlierRunCount: runCount },
      });
      runCount = stepEnd.runCount;
      const shouldCommit = "value" in stepEnd || isRefusal(stepEnd.error);
      if (shouldCommit && stepEnd.changes.length > 0 && currentOptions.mode === "read") {
        await transaction.rollback();
        currentOptions = { ...transactionOptions, mode: "write" };
        continue;
      }
      if (shouldCommit) await transaction.commit(stepEnd.changes);
      else await transaction.rollback();
      if ("value" in stepEnd) return stepEnd.value;
      throw new StepError(stepEnd.error);
    } catch (error) {
      if (error instanceof StepError) throw error.cause;
      await transaction.rollback();
      conflictCount += 1;
      if (!(error instanceof ConflictError) || conflictCount > maxConflicts) throw error;
    }
  }
};

/** Wraps an error of a step whose transaction has ended, to distinguish it from an error of the transaction. */
class StepError extends Error {
  constructor(cause: unknown) {
    super("The step failed", { cause });
  }
}

/** A request that the rate limit has counted. Further transactions of the same step do not count it again. */
type CountedRequest = readonly [preload: Preload, result: LoadResult];

type StepEnd<T> = { readonly runCount: number; readonly changes: PartialTables["changes"] } & (
  | { readonly value: T }
  | { readonly error: unknown }
);

interface StepRunOptions {
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
  step: (run: StepRun) => T,
  { preloads, loadedRows, countedRequests, isReading, isStrict, earlierRunCount }: StepRunOptions,
): Promise<StepEnd<T>> => {
  let workingSet = createWorkingSet(countedRequests);
  let loadedPreloads: readonly Preload[] = [];
  const knownRows = isReading ? [] : (loadedRows?.take() ?? []);
  for (const [preload, result] of knownRows) workingSet.add([preload], [result]);
  const knownKeys = new Set(knownRows.map(([preload]) => buildPreloadKey(preload)));
  let missingPreloads = preloads.filter(
    (preload) =>
      (preload.read !== "hit" || countedRequests.length === 0) && !knownKeys.has(buildPreloadKey(preload)),
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
      if (isReading) loadedRows?.keep(missingPreloads, results);
      missingPreloads.forEach((preload, index) => {
        if (preload.read === "hit") countedRequests.push([preload, results[index] ?? []]);
      });
      loadedPreloads = missingPreloads.filter(({ read }) => read !== "hit");
    }
    const tables = new PartialTables(workingSet, { isStrict });
    const stepOutcome = runStep(step, { tables, earlierRunCount: runIndex });
    // The step may have caught `MissingRowsError`, so look at the missed rows instead of the error.
    missingPreloads = workingSet.takeMissedPreloads();
    if (missingPreloads.length === 0)
      return { ...stepOutcome, runCount: runIndex + 1, changes: tables.changes };
  }
  throw new Error(`The step still misses ${missingPreloads.map(buildPreloadKey).join(", ")}`);
};

const createWorkingSet = (countedHits: readonly CountedRequest[]): WorkingSet => {
  const workingSet = new WorkingSet();
  for (const [preload, result] of countedHits) workingSet.add([preload], [result]);
  return workingSet;
};

const runStep = <T>(step: (run: StepRun) => T, stepRun: StepRun): { value: T } | { error: unknown } => {
  try {
    return { value: step(stepRun) };
  } catch (error) {
    return { error };
  }
};
