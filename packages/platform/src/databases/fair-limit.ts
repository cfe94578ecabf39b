/**
 * Returns the largest limit per database with which all of them together have at most `total` sessions. Databases with fewer
 * sessions than the limit keep all of theirs. At least 1.
 *
 * @param sessions number of sessions of each database.
 */
export const fairLimit = (sessions: readonly number[], total: number): number => {
  let remaining = total;
  let databases = sessions.length;
  for (const count of sessions.toSorted((left, right) => left - right)) {
    const share = Math.floor(remaining / databases);
    if (count > share) return Math.max(1, share);
    remaining -= count;
    databases -= 1;
  }
  return Math.max(1, ...sessions);
};
