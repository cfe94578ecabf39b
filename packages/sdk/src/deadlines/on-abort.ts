type Stop = (reason: unknown) => void;

/** The callbacks of each signal. One listener serves them all, since Node warns of a leak when a signal has many. */
const stopsBySignal = new WeakMap<AbortSignal, Set<Stop>>();

/**
 * Calls `stop` with the signal's reason when it aborts. Returns an unregister function; the last call removes the listener.
 */
export const onAbort = (signal: AbortSignal, stop: Stop): (() => void) => {
  const stops = stopsBySignal.get(signal) ?? new Set();
  stopsBySignal.set(signal, stops.add(stop));
  // Does nothing if it is added already.
  signal.addEventListener("abort", stopAll, { once: true });
  return () => {
    stops.delete(stop);
    if (!stops.size) signal.removeEventListener("abort", stopAll);
  };
};

function stopAll(this: AbortSignal): void {
  for (const stop of stopsBySignal.get(this) ?? []) stop(this.reason);
}
