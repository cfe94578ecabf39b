import { longestDelayMs } from "../request/deadline.js";
import { onAbort } from "../request/on-abort.js";

/** Resolves after `ms`, or throws the signal's reason as soon as it aborts. Leaves neither timer nor listener behind. */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  let left = ms;
  for (; left > longestDelayMs; left -= longestDelayMs) await pauseOnce(longestDelayMs, signal);
  await pauseOnce(left, signal);
};

const pauseOnce = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const release = onAbort(signal, (reason) => {
      clearTimeout(timer);
      reject(reason);
    });
    const timer = setTimeout(() => {
      release();
      resolve();
    }, ms);
  });
