import { onAbort } from "../request/on-abort.js";

/** The longest delay that timers take; a longer one would fire at once. */
const longest = 2 ** 31 - 1;

/** Resolves after `ms`, or throws the signal's reason as soon as it aborts. Leaves neither timer nor listener behind. */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  let left = ms;
  for (; left > longest; left -= longest) await pauseOnce(longest, signal);
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
