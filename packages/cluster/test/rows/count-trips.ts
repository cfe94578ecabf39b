import type { Access, Records, Transaction, Want } from "@mgmt/engine/internal";

/** Counts the round trips that are waited for: loads, and commits of changes. */
export const countTrips = (records: Records): Records & { trips: string[] } => {
  const trips: string[] = [];
  return {
    ...records,
    trips,
    begin: (access: Access): Transaction => {
      const transaction = records.begin(access);
      return {
        load: (wants: readonly Want[]) => {
          trips.push(wants.map((want) => JSON.stringify(want)).join(" "));
          return transaction.load(wants);
        },
        commit: (changes) => {
          if (changes.length > 0) trips.push("commit");
          return transaction.commit(changes);
        },
        rollback: () => transaction.rollback(),
      };
    },
  };
};
