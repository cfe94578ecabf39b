import { ConflictError } from "@mgmt/engine/internal";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sampleRows } from "../../../engine/test/store/store-under-test.js";
import { StoreCluster } from "./store-cluster.js";

// Sessions that hold all locks of the server, until the guard ends them.

const cluster = new StoreCluster();

const write = { mode: "write", locks: ["w"] } as const;
const insertion = {
  ...{ table: "projects", deletes: [], updates: [] },
  inserts: [{ row: sampleRows.projects("ours"), sequence: undefined }],
};

/** Returns a storage that has a connection, and a function that takes all locks, which returns one that releases them. */
const openStorage = async () => {
  const storage = cluster.storage(await cluster.makeSchema());
  const transaction = storage.begin(write);
  await transaction.load([]);
  await transaction.commit([]);
  const holder = await cluster.pool.connect();
  const release = async (): Promise<void> => {
    await holder.query("select pg_advisory_unlock_all()");
  };
  onTestFinished(async () => {
    await release();
    holder.release();
  });
  const takeAllLocks = async (): Promise<() => Promise<void>> => {
    const locking = holder.query("select pg_advisory_lock(key) from generate_series(1, 1e7::bigint) key");
    await expect(locking).rejects.toMatchObject({ code: "53200" });
    return release;
  };
  return { storage, takeAllLocks };
};

describe("a transaction while others have all locks", () => {
  it.each(["load", "commit"] as const)("begins when some are free again: with its %s", async (beginning) => {
    const { storage, takeAllLocks } = await openStorage();
    const releaseAll = await takeAllLocks();
    const { tripCount } = storage;
    const transaction = storage.begin(write);
    const begun = beginning === "load" ? transaction.load([]) : transaction.commit([insertion]);
    await vi.waitFor(() => expect(storage.tripCount).toBeGreaterThan(tripCount + 1));
    await releaseAll();
    await begun;
    if (beginning === "load") await transaction.commit([insertion]);
  });

  it("is refused when none becomes free in time, and has done nothing", async () => {
    const { storage, takeAllLocks } = await openStorage();
    await takeAllLocks();
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { tripCount } = storage;
    const transaction = storage.begin(write);
    const refused = expect(transaction.load([])).rejects.toMatchObject({
      reason: "all locks of Postgres are taken",
    });
    await vi.waitFor(() => expect(storage.tripCount).toBeGreaterThan(tripCount));
    vi.advanceTimersByTime(2_000);
    await refused;
    await transaction.rollback();
  });

  it("runs again when its commit gets none", async () => {
    const { storage, takeAllLocks } = await openStorage();
    const transaction = storage.begin(write);
    await transaction.load([]);
    const releaseAll = await takeAllLocks();
    await expect(transaction.commit([insertion])).rejects.toBeInstanceOf(ConflictError);
    await transaction.rollback();
    await releaseAll();
    const again = storage.begin(write);
    await again.load([]);
    await again.commit([insertion]);
  });
});
