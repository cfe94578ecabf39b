import type { TransactionOptions } from "../store/storage-adapter.js";
import type { LoadedRows, Preload } from "../store/preload.js";
import type { CallMode, ModeResult } from "../values/awaitable.js";
import type { OperationContext } from "./operation-context.js";

/** Runs transactions on the state of a server. */
export interface Transactions<Mode extends CallMode = CallMode> {
  /**
   * Runs a synchronous callback as one transaction. The callback may run more than once, so it has no effects except on its context and
   * on variables that it sets in every run.
   *
   * @returns the result of the callback: a promise only when rows have to be loaded.
   * @throws the error of the callback. A rejection does not undo the earlier changes of the callback; any other error does, except in memory.
   */
  transact<T>(
    transactionOptions: TransactionOptions,
    callback: (context: OperationContext) => T,
    /** Returns the rows that the callback probably reads. Only stores that load rows call it. */
    preloads?: () => readonly Preload[],
    /** Stores the rows that a read transaction loads, for a later write transaction that begins with it. Only stores that load rows use it. */
    loadedRows?: LoadedRows,
  ): ModeResult<Mode, T>;
}
