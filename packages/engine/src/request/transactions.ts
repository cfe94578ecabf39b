import type { Access } from "../store/backing.js";
import type { Want } from "../store/want.js";
import type { World } from "./world.js";

/** Runs steps on the state of a server. */
export interface Transactions {
  /**
   * Runs a synchronous step as one transaction. The step may run more than once, so it has no effects except on its world and
   * on variables that it sets in every run.
   *
   * @returns what the step returns: a promise only when rows have to be loaded.
   * @throws what the step throws. A refusal does not undo what the step has changed before; any other error does.
   */
  transact<T>(
    access: Access,
    step: (world: World) => T,
    /** Returns what the step probably reads. Only stores that load rows call it. */
    wants?: () => readonly Want[],
  ): T | Promise<T>;
}

/** Calls `next` with a value, at once or when it is there. */
export const whenThere = <T, Result>(
  value: T | Promise<T>,
  next: (value: T) => Result | Promise<Result>,
): Result | Promise<Result> => (value instanceof Promise ? value.then(next) : next(value));
