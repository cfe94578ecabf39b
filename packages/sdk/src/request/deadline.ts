import { InvalidArgumentError } from "../errors/local-errors.js";
import { onAbort } from "./on-abort.js";

/** The longest delay that timers take; a longer one would fire at once. */
export const longestDelayMs = 2 ** 31 - 1;

export const readTimeout = (timeoutMs: number, argument = "timeoutMs"): number => {
  if (!(timeoutMs > 0)) throw new InvalidArgumentError(argument, "must be a number above 0");
  return timeoutMs;
};

interface Limits {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  /** Makes the error of a passed deadline. */
  timedOut: () => Error;
}

/** As `race`, for work that does not say when it ends, and whose late error is to name in its stack who awaits. */
export const withDeadline = async <T>(
  limits: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  let late: Error | undefined;
  const timedOut = (): Error => (late = limits.timedOut());
  try {
    return await race({ ...limits, timedOut }, async (signal, end) => {
      try {
        return await work(signal);
      } finally {
        end();
      }
    });
  } catch (error) {
    // One that is made here knows who awaits; a timer does not.
    throw error === late ? limits.timedOut() : error;
  }
};

/**
 * Runs `work` until it settles, the deadline passes, or the caller aborts (which throws the caller's reason), whichever
 * is first; work that ignores its signal is left behind. Work calls `end` when it settles: nothing stays on the caller's
 * signal afterwards.
 */
export const race = <T>(
  { signal, timeoutMs, timedOut }: Limits,
  work: (signal: AbortSignal, end: () => void) => Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    // A controller in place of its signal, for one.
    if (signal && typeof signal.aborted !== "boolean") {
      throw new InvalidArgumentError("signal", "must be an AbortSignal");
    }
    signal?.throwIfAborted();
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (): void => {
      clearTimeout(timer);
      release?.();
    };
    const stop = (reason: unknown): void => {
      end();
      reject(reason);
      controller.abort(reason);
    };
    const release = signal && onAbort(signal, stop);
    if (timeoutMs <= longestDelayMs) timer = setTimeout(() => stop(timedOut()), timeoutMs);
    work(controller.signal, end).then(resolve, reject);
  });
