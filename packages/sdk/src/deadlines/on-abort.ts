type AbortCallback = (reason: unknown) => void;

/** The callbacks of each signal. One listener serves them all, since Node warns of a leak when a signal has many. */
const callbacksBySignal = new WeakMap<AbortSignal, Set<AbortCallback>>();

/**
 * Calls `callback` with the signal's reason when it aborts. Returns an unregister function; the last call removes the listener.
 */
export const onAbort = (signal: AbortSignal, callback: AbortCallback): (() => void) => {
  const callbacks = callbacksBySignal.get(signal) ?? new Set();
  callbacksBySignal.set(signal, callbacks.add(callback));
  // Does nothing if it is added already.
  signal.addEventListener("abort", runAbortCallbacks, { once: true });
  return () => {
    callbacks.delete(callback);
    if (!callbacks.size) signal.removeEventListener("abort", runAbortCallbacks);
  };
};

function runAbortCallbacks(this: AbortSignal): void {
  for (const callback of callbacksBySignal.get(this) ?? []) callback(this.reason);
}
