import { type Access, type Backing, ConflictError, type Transaction } from "./backing.js";
import { PartialTables } from "./partial-tables.js";
import { type Found, type Want, keyOf } from "./want.js";
import { WorkingSet } from "./working-set.js";

/** One run of a step. */
export interface Run {
  readonly tables: PartialTables;
  /** Counts the runs of this step: 0 for the first one. */
  readonly attempt: number;
}

export interface ReplayOptions {
  readonly access: Access;
  /** What the step probably needs, which is loaded before its first run. */
  readonly wants?: readonly Want[];
  /** Whether an error of the step is a refusal, which commits what the step changed before. Other errors roll back. */
  readonly isRefusal: (error: unknown) => boolean;
}

/** Limits the conflicts of one step. With locks, there is rarely more than one. */
const maxConflicts = 20;

/** Limits the runs of a step in one transaction, each of which has loaded more than the one before. */
const maxRuns = 1_000;

/**
 * Runs a synchronous step in a transaction on rows that are loaded as the step needs them: whenever something is missing,
 * it is loaded, and the step runs again from its start. So the step must do the same in every run: ids, secrets and times
 * have to come from outside the step.
 *
 * Commits the changes of the last run, also when the step ends with a refusal, and rolls back when it ends with another error.
 * A step that changes rows in a reading transaction runs again in a writing one.
 *
 * @throws what the step throws.
 */
export const replay = async <T>(
  backing: Backing,
  step: (run: Run) => T,
  { access, wants = [], isRefusal }: ReplayOptions,
): Promise<T> => {
  let current = access;
  let runs = 0;
  const counted: Counted[] = [];
  for (let conflicts = 0; ;) {
    const transaction = backing.begin(current);
    try {
      const ended = await runToEnd(transaction, step, { wants, counted, isStrict: conflicts > 0, runs });
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

/** Wraps what a step has thrown after its transaction has ended, to tell it from an error of the transaction. */
class StepError extends Error {
  constructor(cause: unknown) {
    super("The step failed", { cause });
  }
}

/** A request that was counted for the rate limit. Another transaction of the same step does not count it again. */
type Counted = readonly [want: Want, found: Found];

type Ended<T> = { readonly runs: number; readonly changes: PartialTables["changes"] } & (
  { readonly value: T } | { readonly error: unknown }
);

const runToEnd = async <T>(
  transaction: Transaction,
  step: (run: Run) => T,
  {
    wants,
    counted,
    isStrict,
    runs,
  }: { wants: readonly Want[]; counted: Counted[]; isStrict: boolean; runs: number },
): Promise<Ended<T>> => {
  const loaded = new WorkingSet();
  for (const [want, found] of counted) loaded.add([want], [found]);
  let missing = wants.filter(({ read }) => read !== "hit" || counted.length === 0);
  for (let attempt = runs; attempt < runs + maxRuns; attempt += 1) {
    if (missing.length > 0 || attempt === runs) {
      const found = await transaction.load(missing);
      loaded.add(missing, found);
      missing.forEach((want, index) => {
        if (want.read === "hit") counted.push([want, found[index] ?? []]);
      });
    }
    const tables = new PartialTables(loaded, { isStrict });
    const ended = run(step, { tables, attempt });
    // Code of the step may have caught a `Missing`, so what was missed counts, and not what was thrown.
    missing = loaded.takeMissed();
    if (missing.length === 0) return { ...ended, runs: attempt + 1, changes: tables.changes };
  }
  throw new Error(`The step still misses ${missing.map(keyOf).join(", ")}`);
};

const run = <T>(step: (run: Run) => T, current: Run): { value: T } | { error: unknown } => {
  try {
    return { value: step(current) };
  } catch (error) {
    return { error };
  }
};
