/**
 * Returns the largest limit per database, at least 1, that keeps the sum of all sessions at or below `total`. Databases with
 * fewer sessions than the limit keep all of them.
 *
 * @param sessionCounts number of sessions of each database.
 */
export const computeFairLimit = (sessionCounts: readonly number[], total: number): number => {
  let remainingConnectionCount = total;
  let remainingDatabaseCount = sessionCounts.length;
  for (const count of sessionCounts.toSorted((left, right) => left - right)) {
    const share = Math.floor(remainingConnectionCount / remainingDatabaseCount);
    if (count > share) return Math.max(1, share);
    remainingConnectionCount -= count;
    remainingDatabaseCount -= 1;
  }
  return Math.max(1, ...sessionCounts);
};
