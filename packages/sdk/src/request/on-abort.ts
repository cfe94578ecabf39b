type Stop = (reason: unknown) => void;

/** The callbacks of each signal. One listener serves them all, since Node warns of a leak when a signal has many. */
const stopsBySignal = new WeakMap<AbortSignal, Set<Stop>>();

/**
 * Calls `stop` with the signal's reason when it aborts. Returns an unregister function; the last call removes the listener.
 */
export const onAbort = (signal: AbortSignal, stop: Stop): (() => void) => {
  let stops = stopsBySignal.get(signal);
  if (!stops) {
    stops = new Set();
    stopsBySignal.set(signal, stops);
    signal.addEventListener("abort", stopAll, { once: true });
  }
  stops.add(stop);
  return () => {
    stops.delete(stop);
    if (stops.size > 0 || stopsBySignal.get(signal) !== stops) return;
    stopsBySignal.delete(signal);
    signal.removeEventListener("abort", stopAll);
  };
};

function stopAll(this: AbortSignal): void {
  const stops = stopsBySignal.get(this) ?? [];
  stopsBySignal.delete(this);
  for (const stop of stops) stop(this.reason);
}
