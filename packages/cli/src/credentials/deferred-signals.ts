/** Signals that end the process, except those that `main` and a terminal handle. */
const deferrable = ["SIGTERM", "SIGHUP"] as const;

/**
 * Defers the signals that end this process until the returned function is called, which then ends the process with the first of
 * them. A second signal of the same kind ends the process at once. Signals that have a listener already are left to it.
 */
export const deferSignals = (): (() => void) => {
  let received: NodeJS.Signals | undefined;
  const receive = (signal: NodeJS.Signals): void => {
    received ??= signal;
  };
  const deferred = deferrable.filter((signal) => process.listenerCount(signal) === 0);
  for (const signal of deferred) process.once(signal, receive);
  return () => {
    for (const signal of deferred) process.off(signal, receive);
    if (received !== undefined) process.kill(process.pid, received);
  };
};
