import { type ReplayOptions, type CallbackRun, type Store, replay } from "@mgmt/engine/internal";
import { MemoryStorageAdapter } from "./memory-storage-adapter.js";
import { sampleRows } from "./store-under-test.js";

/** What a step throws to refuse. */
export class Refused extends Error {}

/** Returns a storage adapter with projects, a function that replays steps on it, and what became of it. */
export const openReplay = (...projectIds: string[]) => {
  const storage = new MemoryStorageAdapter();
  for (const id of projectIds) storage.store.projects.insert(sampleRows.projects(id));
  const run = <T>(
    step: (store: Store, run: CallbackRun) => T,
    { mode = "write", ...options }: Partial<ReplayOptions> & { mode?: "read" | "write" } = {},
  ): Promise<T> =>
    replay(storage, (current) => step(current.tables.store, current), {
      transactionOptions: { mode, locks: ["w"] },
      isRejection: (error) => error instanceof Refused,
      ...options,
    });
  const trips = (): string[] => storage.trips.map(([name]) => name);
  const names = (): string[] => storage.store.projects.list({}).map(({ name }) => name);
  return { storage, run, trips, names };
};
