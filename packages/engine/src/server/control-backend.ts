import type { ClockSource } from "../control/clock-control.js";
import { type TransactionOptions, readOnlyTransaction } from "../store/storage-adapter.js";
import type { AllRowsLookup } from "../store/store.js";
import { type CallMode, type ModeResult, mapAwaitable } from "../values/awaitable.js";
import { VirtualClock } from "../values/clock.js";
import { RandomIds } from "../values/random-ids.js";
import {
  type FaultRow,
  type GeneratorRow,
  type ServerTables,
  type ServerRowStore,
  type ServerRow,
  type ServerRowTransaction,
  generatorRowId,
  serverRowId,
} from "../context/server-rows.js";
import type { OperationContext } from "../context/operation-context.js";

/** The rows and the context of a callback on the rows of the server itself. */
export interface TransactionView {
  readonly tables: ServerTables;
  readonly row: ServerRow;
  readonly context: OperationContext;
}

/** Where the rows of the server itself are. */
export interface ControlBackend<Mode extends CallMode> {
  /** Whether any fault is installed, as the latest transaction of this process has seen it. */
  readonly hasFaults: boolean;
  /** Runs a callback in a transaction. */
  runTransaction<T>(
    transactionOptions: TransactionOptions,
    callback: (view: TransactionView) => T,
  ): ModeResult<Mode, T>;
  /** Plans the jobs by a clock that was changed. */
  pollDueJobs(): void;
  /** Moves the clock forward to a time, and runs the jobs that fall due on the way, each at its own time. */
  advanceTo(time: number): Promise<void>;
}

/** Returns the store of the rows that the control surface uses. */
export const createServerRowStore = <Mode extends CallMode>(
  backend: ControlBackend<Mode>,
): ServerRowStore<Mode> => {
  const random = new RandomIds(null);
  return {
    hasFaults: () => backend.hasFaults,
    read: (callback) =>
      backend.runTransaction(readOnlyTransaction, (view) => callback(createRowTransaction(view, random))),
    change: (lock, callback) =>
      backend.runTransaction({ mode: "write", locks: [lock] }, (view) =>
        callback(createRowTransaction(view, random)),
      ),
  };
};

const createRowTransaction = (
  { tables, row, context }: TransactionView,
  randomIds: RandomIds,
): ServerRowTransaction => ({
  controlSettings: row,
  faults: tables.getTable<FaultRow, AllRowsLookup>("faults"),
  now: context.clock.now(),
  changeControlSettings: (changes) =>
    void tables.getTable<ServerRow, AllRowsLookup>("server").update(serverRowId, changes),
  random: () => {
    const generators = tables.getTable<GeneratorRow, AllRowsLookup>("server");
    const draws = generators.get(generatorRowId)?.draws ?? null;
    if (draws === null) return randomIds.generateFraction();
    const generator = new RandomIds(draws);
    const fraction = generator.generateFraction();
    generators.update(generatorRowId, { draws: generator.state });
    return fraction;
  },
});

/** Access of a transaction that changes the clock. */
export const clockTransactionOptions: TransactionOptions = { mode: "write", locks: ["clock"] };

/** Returns the clock that the control surface uses. */
export const createClockSource = <Mode extends CallMode>(
  backend: ControlBackend<Mode>,
): ClockSource<Mode> => ({
  read: (readClock) => backend.runTransaction(readOnlyTransaction, ({ context }) => readClock(context.clock)),
  change: (change) =>
    mapAwaitable(
      backend.runTransaction(clockTransactionOptions, ({ tables }) => changeClock(tables, change)),
      () => backend.pollDueJobs(),
      // A promise if `runTransaction` returns one.
    ) as ModeResult<Mode, void>,
  advanceTo: (time) => backend.advanceTo(time),
});

/**
 * Stores the clock of the server after a change, unless the change has no effect.
 *
 * @param change changes the clock that it receives.
 */
export const changeClock = (tables: ServerTables, change: (clock: VirtualClock) => void): void => {
  const server = tables.getTable<ServerRow, AllRowsLookup>("server");
  const row = server.get(serverRowId);
  if (row === undefined) return;
  const clock = new VirtualClock(row.clock);
  change(clock);
  if (JSON.stringify(clock.state) !== JSON.stringify(row.clock))
    server.update(serverRowId, { clock: clock.state });
};

/** Moves the clock to a time, unless it is later already. */
export const moveClockForward = (tables: ServerTables, time: number): void =>
  changeClock(tables, (clock) => {
    if (time > clock.now()) clock.moveTo(time);
  });
