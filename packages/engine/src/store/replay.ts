import { type Access, type StorageAdapter, ConflictError, type Transaction } from "./storage-adapter.js";
import { PartialTables } from "./partial-tables.js";
import { type LoadResult, type Preload, keyOf } from "./preload.js";
import { WorkingSet } from "./working-set.js";

/** One run of a step. */
export interface Run {
  readonly tables: PartialTables;
  /** Number of earlier runs of this step: 0 in the first run. */
  readonly earlierRuns: number;
}

export interface ReplayOptions {
  readonly access: Access;
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
  step: (run: Run) => T,
  { access, preloads = [], isRefusal }: ReplayOptions,
): Promise<T> => {
  let current = access;
  let runs = 0;
  const counted: Counted[] = [];
  for (let conflicts = 0; ;) {
    const transaction = storage.begin(current);
    try {
      const isReading = current.mode === "read";
      const ended = await runToEnd(transaction, step, {
        ...{ preloads, counted, isReading, isStrict: conflicts > 0, runs },
      });
      runs = ended.runs;
      const commits = "value" in ended || isRefusal(ended.error);
      if (commits && ended.changes.length > 0 && current.mode === "read") {
        await transaction.rollback();
        current = { ...access, mode: "write" };
        continue;
      }
      if (commits) await transaction.commit(ended.changes);
      else await transaction.rollback();
      if ("value" in ended) return ended.value;
      throw new StepError(ended.error);
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
type Counted = readonly [preload: Preload, result: LoadResult];

type Ended<T> = { readonly runs: number; readonly changes: PartialTables["changes"] } & (
  | { readonly value: T }
  | { readonly error: unknown }
);

interface RunOptions {
  readonly preloads: readonly Preload[];
  readonly counted: Counted[];
  readonly isReading: boolean;
  readonly isStrict: boolean;
  /** Number of earlier runs. */
  readonly runs: number;
}

const runToEnd = async <T>(
  transaction: Transaction,
  step: (run: Run) => T,
  { preloads, counted, isReading, isStrict, runs }: RunOptions,
): Promise<Ended<T>> => {
  let loaded = workingSetOf(counted);
  let known: readonly Preload[] = [];
  let missing = preloads.filter(({ read }) => read !== "hit" || counted.length === 0);
  for (let earlierRuns = runs; earlierRuns < runs + maxRuns; earlierRuns += 1) {
    if (missing.length > 0 || earlierRuns === runs) {
      if (isReading && earlierRuns > runs) {
        // The next load sees another snapshot, so all rows come from it.
        missing = [...known, ...missing];
        loaded = workingSetOf(counted);
      }
      const results = await transaction.load(missing);
      loaded.add(missing, results);
      missing.forEach((preload, index) => {
        if (preload.read === "hit") counted.push([preload, results[index] ?? []]);
      });
      known = missing.filter(({ read }) => read !== "hit");
    }
    const tables = new PartialTables(loaded, { isStrict });
    const ended = run(step, { tables, earlierRuns });
    // The step may have caught `Missing`, so look at the missed rows instead of the error.
    missing = loaded.takeMissed();
    if (missing.length === 0) return { ...ended, runs: earlierRuns + 1, changes: tables.changes };
  }
  throw new Error(`The step still misses ${missing.map(keyOf).join(", ")}`);
};

const workingSetOf = (counted: readonly Counted[]): WorkingSet => {
  const loaded = new WorkingSet();
  for (const [preload, result] of counted) loaded.add([preload], [result]);
  return loaded;
};

const run = <T>(step: (run: Run) => T, current: Run): { value: T } | { error: unknown } => {
  try {
    return { value: step(current) };
  } catch (error) {
    return { error };
  }
};
