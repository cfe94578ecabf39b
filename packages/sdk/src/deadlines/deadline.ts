import { InvalidArgumentError } from "../errors/local-errors.js";
import { abortError } from "./abort-error.js";
import { onAbort } from "./on-abort.js";
import type { Limit, DeadlineOptions } from "./limit.js";
import { selectAborterClass } from "#limit";

/** The longest delay that timers accept; they would fire immediately for a longer one. */
export const longestDelayMs = 2 ** 31 - 1;

/** Throws `InvalidArgumentError` unless the timeout is a number above 0. */
export const validateTimeout = (timeoutMs: number, argument = "timeoutMs"): number => {
  if (!(timeoutMs > 0)) throw new InvalidArgumentError(argument, "must be a number above 0");
  return timeoutMs;
};

/**
 * Runs `callback` until it settles, the deadline passes, or the caller aborts (which throws the caller's reason, as an `Error`), whichever is
 * first. Work that ignores its limit continues in the background.
 */
export const raceWithDeadline = <T>(
  options: DeadlineOptions,
  callback: (limit: Limit) => Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const { signals, timeoutMs, onTimeout: createTimeoutError, timers } = options;
    for (const { aborted, reason } of signals) if (aborted) throw abortError(reason);
    const limit: Limit = new (selectAborterClass(AbortController))(options);
    let timer: unknown;
    const cleanUp = (): void => {
      timers.clearTimeout(timer);
      for (const unregister of unregisterCallbacks) unregister();
    };
    const abortAndReject = (reason: unknown): void => {
      const error = abortError(reason);
      cleanUp();
      reject(error);
      limit.abort(error);
    };
    const unregisterCallbacks = signals.map((signal) => onAbort(signal, abortAndReject));
    if (timeoutMs <= longestDelayMs)
      timer = timers.setTimeout(() => abortAndReject(createTimeoutError()), timeoutMs);
    void callback(limit).then(resolve, reject).then(cleanUp);
  });
