import { groupBy } from "@mgmt/internal/values/group-by";

/** How much a database uses of a resource that all databases share, such as connections or bytes. */
export interface Usage {
  workspace: string;
  amount: number;
}

/**
 * Returns the largest limit per user of a resource, at least 1, that keeps the sum of all amounts at or below `total`. Those with a
 * smaller amount than the limit keep all of it.
 */
export const computeFairLimit = (amounts: readonly number[], total: number): number => {
  let remainingTotal = total;
  let remainingCount = amounts.length;
  for (const amount of amounts.toSorted((left, right) => left - right)) {
    const share = Math.floor(remainingTotal / remainingCount);
    if (amount > share) return Math.max(1, share);
    remainingTotal -= amount;
    remainingCount -= 1;
  }
  return Math.max(1, ...amounts);
};

/** The limits that apply while the databases use more of a resource than there is. */
export interface FairLimits<Key> {
  /** The limit of each workspace, for all of its databases together. */
  perWorkspace: number;
  /** The limits of databases, for the workspaces that use more than `perWorkspace`. */
  perDatabase: ReadonlyMap<Key, number>;
}

/**
 * Returns the limits that keep the sum of all amounts at or below `total`: the fair one for each workspace, and for each workspace that
 * has more, the fair ones for its databases.
 */
export const computeFairLimits = <Key>(usages: ReadonlyMap<Key, Usage>, total: number): FairLimits<Key> => {
  const workspaces = groupByWorkspace([...usages].map(([key, usage]) => ({ ...usage, key })));
  const perWorkspace = computeFairLimit(workspaces.map(sumAmounts), total);
  const perDatabase = workspaces
    .filter((databases) => sumAmounts(databases) > perWorkspace)
    .flatMap((databases) => {
      const limit = computeFairLimit(
        databases.map(({ amount }) => amount),
        perWorkspace,
      );
      // With more databases than its limit, a workspace has none left for some of them.
      return databases.map(({ key }, index): [Key, number] => [key, index < perWorkspace ? limit : 0]);
    });
  return { perWorkspace, perDatabase: new Map(perDatabase) };
};

/**
 * Returns the databases that have to release the resource, so that the others use at most `total`: the largest databases of the workspace
 * that uses the most. If it returns all databases of that workspace, the others may still use more.
 */
export const chooseExcessive = <Database extends Usage>(
  databases: readonly Database[],
  total: number,
): Database[] => {
  let excess = sumAmounts(databases) - total;
  const chosenDatabases: Database[] = [];
  for (const database of findLargestWorkspace(databases).toSorted(
    (left, right) => right.amount - left.amount,
  )) {
    if (excess <= 0) break;
    chosenDatabases.push(database);
    excess -= database.amount;
  }
  return chosenDatabases;
};

const groupByWorkspace = <Database extends Usage>(databases: readonly Database[]): Database[][] => [
  ...groupBy(databases, ({ workspace }) => workspace).values(),
];

/** Returns the databases of the workspace that uses the most. */
export const findLargestWorkspace = <Database extends Usage>(databases: readonly Database[]): Database[] => {
  const [largest = []] = groupByWorkspace(databases).toSorted(
    (left, right) => sumAmounts(right) - sumAmounts(left),
  );
  return largest;
};

/** Returns the sum of the amounts of databases. */
export const sumAmounts = (databases: readonly Usage[]): number =>
  databases.reduce((sum, { amount }) => sum + amount, 0);
