/**
 * Returns the largest limit per database, at least 1, that keeps the sum of all sessions at or below `total`. Databases with
 * fewer sessions than the limit keep all of them.
 *
 * @param sessions number of sessions of each database.
 */
export const computeFairLimit = (sessions: readonly number[], total: number): number => {
  let remainingConnections = total;
  let remainingDatabases = sessions.length;
  for (const count of sessions.toSorted((left, right) => left - right)) {
    const share = Math.floor(remainingConnections / remainingDatabases);
    if (count > share) return Math.max(1, share);
    remainingConnections -= count;
    remainingDatabases -= 1;
  }
  return Math.max(1, ...sessions);
};
