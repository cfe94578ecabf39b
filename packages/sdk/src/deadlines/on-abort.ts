type AbortCallback = (reason: unknown) => void;

/** The callbacks of each signal. One listener serves them all, since Node warns of a leak when a signal has many. */
const callbacksBySignal = new WeakMap<AbortSignal, Set<AbortCallback>>();

/**
 * Calls `stop` with the signal's reason when it aborts. Returns an unregister function; the last call removes the listener.
 */
export const onAbort = (signal: AbortSignal, stop: AbortCallback): (() => void) => {
  const callbacks = callbacksBySignal.get(signal) ?? new Set();
  callbacksBySignal.set(signal, callbacks.add(stop));
  // Does nothing if it is added already.
  signal.addEventListener("abort", stopAll, { once: true });
  return () => {
    callbacks.delete(stop);
    if (!callbacks.size) signal.removeEventListener("abort", stopAll);
  };
};

function stopAll(this: AbortSignal): void {
  for (const stop of callbacksBySignal.get(this) ?? []) stop(this.reason);
}
