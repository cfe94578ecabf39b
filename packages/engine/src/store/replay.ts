import {
  type TransactionOptions,
  type StorageAdapter,
  ConflictError,
  type Transaction,
} from "./storage-adapter.js";
import { PartialTables } from "./partial-tables.js";
import { type LoadResult, type Preload, preloadKey } from "./preload.js";
import { WorkingSet } from "./working-set.js";

/** One run of a step. */
export interface StepRun {
  readonly tables: PartialTables;
  /** Number of earlier runs of this step: 0 in the first run. */
  readonly earlierRuns: number;
}

export interface ReplayOptions {
  readonly access: TransactionOptions;
  /** The rows to load before the first run, because the step probably needs them. */
  readonly preloads?: readonly Preload[];
  /** Returns whether an error of the step is a refusal, which commits the changes made before it. Other errors roll back. */
  readonly isRefusal: (error: unknown) => boolean;
}

/** Maximum number of conflicts of one step. With locks, there is rarely more than one. */
const maxConflicts = 20;

/** Maximum number of runs of a step in one transaction. Each run has more rows than the one before. */
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
export const replay = async <T>(
  storage: StorageAdapter,
  step: (run: StepRun) => T,
  { access: transactionOptions, preloads = [], isRefusal }: ReplayOptions,
): Promise<T> => {
  let currentOptions = transactionOptions;
  let runs = 0;
  const countedHits: CountedHit[] = [];
  for (let conflicts = 0; ;) {
    const transaction = storage.begin(currentOptions);
    try {
      const isReading = currentOptions.mode === "read";
      const stepEnd = await runUntilLoaded(transaction, step, {
        ...{ preloads, counted: countedHits, isReading, isStrict: conflicts > 0, runs },
      });
      runs = stepEnd.runs;
      const commits = "value" in stepEnd || isRefusal(stepEnd.error);
      if (commits && stepEnd.changes.length > 0 && currentOptions.mode === "read") {
        await transaction.rollback();
        currentOptions = { ...transactionOptions, mode: "write" };
        continue;
      }
      if (commits) await transaction.commit(stepEnd.changes);
      else await transaction.rollback();
      if ("value" in stepEnd) return stepEnd.value;
      throw new StepError(stepEnd.error);
    } catch (error) {
      if (error instanceof StepError) throw error.cause;
      await transaction.rollback();
      conflicts += 1;
      if (!(error instanceof ConflictError) || conflicts > maxConflicts) throw error;
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
type CountedHit = readonly [preload: Preload, result: LoadResult];

type StepEnd<T> = { readonly runs: number; readonly changes: PartialTables["changes"] } & (
  | { readonly value: T }
  | { readonly error: unknown }
);

interface StepRunOptions {
  readonly preloads: readonly Preload[];
  readonly counted: CountedHit[];
  readonly isReading: boolean;
  readonly isStrict: boolean;
  /** Number of earlier runs. */
  readonly runs: number;
}

const runUntilLoaded = async <T>(
  transaction: Transaction,
  step: (run: StepRun) => T,
  { preloads, counted, isReading, isStrict, runs }: StepRunOptions,
): Promise<StepEnd<T>> => {
  let workingSet = createWorkingSet(counted);
  let loadedPreloads: readonly Preload[] = [];
  let missingPreloads = preloads.filter(({ read }) => read !== "hit" || counted.length === 0);
  for (let earlierRuns = runs; earlierRuns < runs + maxRuns; earlierRuns += 1) {
    if (missingPreloads.length > 0 || earlierRuns === runs) {
      if (isReading && earlierRuns > runs) {
        // The next load sees another snapshot, so all rows come from it.
        missingPreloads = [...loadedPreloads, ...missingPreloads];
        workingSet = createWorkingSet(counted);
      }
      const results = await transaction.load(missingPreloads);
      workingSet.add(missingPreloads, results);
      missingPreloads.forEach((preload, index) => {
        if (preload.read === "hit") counted.push([preload, results[index] ?? []]);
      });
      loadedPreloads = missingPreloads.filter(({ read }) => read !== "hit");
    }
    const tables = new PartialTables(workingSet, { isStrict });
    const stepOutcome = runStep(step, { tables, earlierRuns });
    // The step may have caught `MissingRowsError`, so look at the missed rows instead of the error.
    missingPreloads = workingSet.takeMissedPreloads();
    if (missingPreloads.length === 0)
      return { ...stepOutcome, runs: earlierRuns + 1, changes: tables.changes };
  }
  throw new Error(`The step still misses ${missingPreloads.map(preloadKey).join(", ")}`);
};

const createWorkingSet = (counted: readonly CountedHit[]): WorkingSet => {
  const loaded = new WorkingSet();
  for (const [preload, result] of counted) loaded.add([preload], [result]);
  return loaded;
};

const runStep = <T>(step: (run: StepRun) => T, current: StepRun): { value: T } | { error: unknown } => {
  try {
    return { value: step(current) };
  } catch (error) {
    return { error };
  }
};
