import { longestDelayMs } from "./deadline.js";
import { onAbort } from "./on-abort.js";

/** Resolves after `ms`, or throws the signal's reason as soon as it aborts. Leaves neither a timer nor a listener behind. */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  let left = ms;
  for (; left > longestDelayMs; left -= longestDelayMs) await pauseOnce(longestDelayMs, signal);
  await pauseOnce(left, signal);
};

const pauseOnce = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const unregister = onAbort(signal, (reason) => {
      clearTimeout(timer);
      reject(reason);
    });
    const timer = setTimeout(() => {
      unregister();
      resolve();
    }, ms);
  });
