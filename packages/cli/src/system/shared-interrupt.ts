/** How much later this process may see a Ctrl-C that has terminated a program that it runs. */
const maxInterruptDelayMs = 250;

/**
 * Resolves when the signal is aborted, or after a moment. The terminal sends Ctrl-C to this process and to the programs that it runs at
 * the same time, and this process may see the end of a program first.
 */
export const waitForInterrupt = async (signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, maxInterruptDelayMs);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
};

/** Throws the reason of the signal if a program that has failed was terminated by Ctrl-C. */
export const throwIfInterrupted = async (signal: AbortSignal): Promise<void> => {
  await waitForInterrupt(signal);
  signal.throwIfAborted();
};
