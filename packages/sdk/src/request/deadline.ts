import { InvalidArgumentError } from "../errors/local-errors.js";
import { onAbort } from "./on-abort.js";

/** The longest delay that timers accept; they would fire at once for a longer one. */
export const longestDelayMs = 2 ** 31 - 1;

/** Throws `InvalidArgumentError` unless the timeout is a number above 0. */
export const readTimeout = (timeoutMs: number, argument = "timeoutMs"): number => {
  if (!(timeoutMs > 0)) throw new InvalidArgumentError(argument, "must be a number above 0");
  return timeoutMs;
};

/** What ends a piece of work early. */
export interface Limits {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  /** Makes the error that is thrown at the deadline. */
  timedOut: () => Error;
}

/**
 * Runs `work` until it settles, the deadline passes, or the caller aborts (which throws the caller's reason), whichever is
 * first. Work that ignores its signal continues in the background. Work calls `end` when it settles, which removes the
 * listener from the caller's signal.
 */
export const race = <T>(
  { signal, timeoutMs, timedOut }: Limits,
  work: (signal: AbortSignal, end: () => void) => Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    // Such as a controller passed instead of its signal.
    if (signal && typeof signal.aborted !== "boolean") {
      throw new InvalidArgumentError("signal", "must be an AbortSignal");
    }
    signal?.throwIfAborted();
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (): void => {
      clearTimeout(timer);
      unregister?.();
    };
    const stop = (reason: unknown): void => {
      end();
      reject(reason);
      controller.abort(reason);
    };
    const unregister = signal && onAbort(signal, stop);
    if (timeoutMs <= longestDelayMs) timer = setTimeout(() => stop(timedOut()), timeoutMs);
    work(controller.signal, end).then(resolve, reject);
  });
