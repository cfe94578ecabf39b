import { type Run, isSameRun } from "./matrix.js";
import type { Followed } from "./table.js";

export const hasFailed = ({ outcome }: Followed): boolean => outcome.faults.length > 0;

/**
 * Follows pages, and those that fail once more, in another way. Returns what came of each, the second time if there was one.
 */
export const followTwice = async (
  runs: readonly Run[],
  follow: (runs: readonly Run[]) => Promise<Followed[]>,
  followAgain: (runs: readonly Run[]) => Promise<Followed[]>,
): Promise<Followed[]> => {
  const first = await follow(runs);
  const failed = first.filter(hasFailed);
  if (failed.length === 0) return first;
  const second = await followAgain(failed);
  return first.map((each) => {
    const again = hasFailed(each) && second.find((other) => isSameRun(each, other));
    return again ? { ...again, attempts: 2 } : each;
  });
};
