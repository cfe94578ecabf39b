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

/** Takes locks until the server has no more, and each that another session releases, until it is canceled. */
const takeLocks = `do $$ declare key bigint := 0; is_first boolean := true; begin
  loop
    begin
      loop
        key := key + 1;
        perform pg_advisory_lock(key);
      end loop;
    exception when out_of_memory then
      if is_first then raise notice 'No lock is free'; end if;
      is_first := false;
    end;
  end loop;
end $$`;

/** Returns a storage that has a connection, and a function that takes all locks, which returns one that releases them. */
const openStorage = async () => {
  // Neither a connection nor the parsing of a statement succeeds without a free lock, so both come first.
  const pool = cluster.openPool();
  const storage = cluster.storage(await cluster.makeSchema(), pool);
  const transaction = storage.begin(write);
  await transaction.load([]);
  await transaction.commit([]);
  const [holder, observer] = [await cluster.pool.connect(), await cluster.pool.connect()];
  const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
  const cancel = async (pid: number): Promise<void> => {
    await observer.query({ name: "cancel", text: "select pg_cancel_backend($1)", values: [pid] });
  };
  await cancel(0);
  let locking: Promise<unknown> | undefined;
  const release = async (): Promise<void> => {
    if (locking === undefined) return;
    await cancel(rows[0]?.pid ?? 0);
    await locking;
    locking = undefined;
    await holder.query("select pg_advisory_unlock_all()");
  };
  onTestFinished(async () => {
    await release();
    holder.release();
    observer.release();
    await pool.end();
  });
  const takeAllLocks = async (): Promise<() => Promise<void>> => {
    const whenTaken = new Promise((resolve) => holder.once("notice", resolve));
    locking = holder.query(takeLocks).catch(() => undefined);
    await whenTaken;
    return release;
  };
  return { storage, takeAllLocks };
};

describe("a transaction while others have all locks", () => {
  it.each(["load", "commit"] as const)("begins when some are free again: with its %s", async (beginning) => {
    const { storage, takeAllLocks } = await openStorage();
    const releaseAll = await takeAllLocks();
    // The session that takes the locks keeps a processor busy, so the attempts must not run out of time.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { tripCount } = storage;
    const transaction = storage.begin(write);
    onTestFinished(() => transaction.rollback());
    const begun = beginning === "load" ? transaction.load([]) : transaction.commit([insertion]);
    await vi.waitFor(() => expect(storage.tripCount).toBeGreaterThan(tripCount + 1), { timeout: 60_000 });
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
    onTestFinished(() => transaction.rollback());
    const refused = expect(transaction.load([])).rejects.toMatchObject({
      reason: "all locks of Postgres are taken",
    });
    await vi.waitFor(() => expect(storage.tripCount).toBeGreaterThan(tripCount), { timeout: 60_000 });
    vi.advanceTimersByTime(2_000);
    await refused;
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
