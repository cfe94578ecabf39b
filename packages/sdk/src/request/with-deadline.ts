import { type Limits, race } from "./deadline.js";

/** As `race`, for work that does not report its end. The stack of a timeout error shows the caller that awaits. */
export const withDeadline = async <T>(
  limits: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  let late: Error | undefined;
  const timedOut = (): Error => (late = limits.timedOut());
  try {
    return await race({ ...limits, timedOut }, async (signal, end) => {
      try {
        return await work(signal);
      } finally {
        end();
      }
    });
  } catch (error) {
    // An error made in a timer's callback does not show who awaits; one made here does.
    throw error === late ? limits.timedOut() : error;
  }
};
