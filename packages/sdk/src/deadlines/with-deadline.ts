import { InvalidArgumentError } from "../errors/local-errors.js";
import { raceWithDeadline } from "./deadline.js";
import type { DeadlineOptions } from "./limit.js";
import type { Timers } from "./timers.js";

/** Runs `callback` as `raceWithDeadline` does. In addition, the stack of the timeout error shows the caller that awaits it. */
export const withDeadline = async <T>(
  limits: Omit<DeadlineOptions, "timers" | "signals"> & {
    timers?: Timers;
    signals: readonly (AbortSignal | undefined)[];
  },
  callback: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const signals = limits.signals.filter((signal) => signal !== undefined);
  // Such as a controller passed instead of its signal.
  if (!signals.every((signal) => typeof signal.addEventListener === "function")) {
    throw new InvalidArgumentError("signal", "must be an AbortSignal");
  }
  let timeoutError: Error | undefined;
  const createTimeoutError = (): Error => (timeoutError = limits.onTimeout());
  try {
    return await raceWithDeadline(
      { timers: globalThis, ...limits, signals, onTimeout: createTimeoutError },
      ({ signal }) => callback(signal),
    );
  } catch (error) {
    // An error made in a timer's callback does not show who awaits; one made here does.
    throw error === timeoutError ? limits.onTimeout() : error;
  }
};
