import { longestDelayMs } from "./deadline.js";
import { onAbort } from "./on-abort.js";
import type { Timers } from "./timers.js";

/** Resolves after `ms`, or throws the signal's reason as soon as it aborts. Leaves neither a timer nor a listener behind. */
export const pause = async (ms: number, signal: AbortSignal, timers: Timers = globalThis): Promise<void> => {
  let remainingMs = ms;
  for (; remainingMs > longestDelayMs; remainingMs -= longestDelayMs)
    await pauseOnce(longestDelayMs, signal, timers);
  await pauseOnce(remainingMs, signal, timers);
};

const pauseOnce = (ms: number, signal: AbortSignal, timers: Timers): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const unregister = onAbort(signal, (reason) => {
      timers.clearTimeout(timer);
      reject(reason);
    });
    const finishPause = (): void => {
      unregister();
      resolve();
    };
    const timer = timers.setPause?.(finishPause, ms) ?? timers.setTimeout(finishPause, ms);
  });
