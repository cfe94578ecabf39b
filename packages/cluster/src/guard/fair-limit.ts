/**
 * Returns the largest limit per database, at least 1, that keeps the sum of all sessions at or below `total`. Databases with
 * fewer sessions than the limit keep all of them.
 *
 * @param sessions number of sessions of each database.
 */
export const fairLimit = (sessions: readonly number[], total: number): number => {
  let remaining = total;
  let databases = sessions.length;
  for (const count of sessions.toSorted((remainingConnections, larger) => remainingConnections - larger)) {
    const share = Math.floor(remaining / databases);
    if (count > share) return Math.max(1, share);
    remaining -= count;
    databases -= 1;
  }
  return Math.max(1, ...sessions);
};
