import type { TransactionOptions, RecordStore, Transaction, Preload } from "@mgmt/engine/internal";

/** Counts the round trips that are waited for: loads, and commits of changes. */
export const countTrips = (records: RecordStore): RecordStore & { trips: string[] } => {
  const trips: string[] = [];
  return {
    ...records,
    trips,
    begin: (access: TransactionOptions): Transaction => {
      const transaction = records.begin(access);
      return {
        load: (preloads: readonly Preload[]) => {
          trips.push(preloads.map((preload) => JSON.stringify(preload)).join(" "));
          return transaction.load(preloads);
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
