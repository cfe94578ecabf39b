const reportedObservers = new WeakSet<object>();

/**
 * Calls a function of a program that watches something and decides nothing. It is not awaited. Prints the first error of each function,
 * whether it is thrown or rejects later, with `console.warn`.
 *
 * @param name the program's name for the function.
 */
export const observe = <Args extends unknown[]>(
  name: string,
  observer: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void => {
  if (!observer) return;
  const call = async (): Promise<unknown> => observer(...args);
  call().catch((error: unknown) => {
    if (reportedObservers.has(observer)) return;
    reportedObservers.add(observer);
    console.warn(`[mgmt] The function ${name} failed, which changes nothing else:`, error);
  });
};
