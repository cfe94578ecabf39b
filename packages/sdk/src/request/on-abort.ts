type Stop = (reason: unknown) => void;

/** Who waits on each signal. One listener serves them all: many calls at a time on one signal are no leak to warn of. */
const waiting = new WeakMap<AbortSignal, Set<Stop>>();

/** Calls `stop` with the signal's reason when it aborts. What is answered takes that back, the listener with the last. */
export const onAbort = (signal: AbortSignal, stop: Stop): (() => void) => {
  let stops = waiting.get(signal);
  if (!stops) {
    stops = new Set();
    waiting.set(signal, stops);
    signal.addEventListener("abort", tellAll, { once: true });
  }
  stops.add(stop);
  return () => {
    stops.delete(stop);
    if (stops.size > 0 || waiting.get(signal) !== stops) return;
    waiting.delete(signal);
    signal.removeEventListener("abort", tellAll);
  };
};

function tellAll(this: AbortSignal): void {
  const stops = waiting.get(this) ?? [];
  waiting.delete(this);
  for (const stop of stops) stop(this.reason);
}
