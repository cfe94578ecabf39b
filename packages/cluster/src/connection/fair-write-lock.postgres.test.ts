import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openRecords } from "../rows/open-records.js";
import { FairWriteLock } from "./fair-write-lock.js";
import { createTestKeys } from "../../test/rows/record-keys.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";
import { StoredProcess } from "../../test/rows/stored-process.js";

const cluster = new StoreCluster();

describe("requests that change one workspace", () => {
  it("leave connections to other workspaces while another process holds their lock", async () => {
    const schema = cluster.newSchema();
    const records = await openRecords(cluster.address, {
      schema,
      keys: createTestKeys(),
      maxConnections: 4,
    });
    onTestFinished(() => records.close());
    const process = await StoredProcess.open(cluster, schema, { records, isStarted: false });
    const [busy, other] = [
      await process.engine.createTenant("busy"),
      await process.engine.createTenant("other"),
    ];
    const [busyToken, otherToken] = [await busy.tokens.user(), await other.tokens.user()];
    const holder = await cluster.pool.connect();
    onTestFinished(() => holder.release(true));
    await holder.query("begin");
    await holder.query(
      `select pg_advisory_xact_lock(${records.installation.toLockKey(`lock ${busy.workspace.id}`)})`,
    );
    const body = { name: "shop", createDatabase: false };
    const writers = Array.from({ length: 20 }, () =>
      process.send("projects.create", { body, token: busyToken }),
    );
    // The lock is held until these are answered.
    expect((await process.send("projects.create", { body, token: otherToken })).status).toBe(201);
    expect((await process.send("projects.list", { token: otherToken })).status).toBe(200);
    expect((await process.send("projects.list", { token: busyToken })).status).toBe(200);
    await holder.query("commit");
    expect((await Promise.all(writers)).map(({ status }) => status)).toEqual(Array(20).fill(201));
  });
});

/** Takes turns, and notes which have begun. */
const start = (writeLock: FairWriteLock, began: string[], locks: readonly string[], name = locks.join()) => {
  const hold = writeLock.acquire(locks).then((end) => {
    began.push(name);
    return end;
  });
  return { end: async () => (await hold)(), begun: hold };
};

/** Resolves when everything that can begin has begun. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the turns of writers", () => {
  it("let one at a time hold a lock, in the order of their calls", async () => {
    const writeLock = new FairWriteLock({ maxConcurrent: 10, acquireTimeoutMs: 60_000 });
    const began: string[] = [];
    const first = start(writeLock, began, ["a"], "first");
    const second = start(writeLock, began, ["a"], "second");
    start(writeLock, began, ["b"], "third");
    await settled();
    expect(began).toEqual(["first", "third"]);
    await first.end();
    await second.begun;
    expect(began).toEqual(["first", "third", "second"]);
  });

  it("let a writer of several locks wait for all of them", async () => {
    const writeLock = new FairWriteLock({ maxConcurrent: 10, acquireTimeoutMs: 60_000 });
    const began: string[] = [];
    const [a, b] = [start(writeLock, began, ["a"]), start(writeLock, began, ["b"])];
    const both = start(writeLock, began, ["b", "a", "b"], "both");
    await a.end();
    await settled();
    expect(began).toEqual(["a", "b"]);
    await b.end();
    await both.begun;
    expect(began).toEqual(["a", "b", "both"]);
  });

  it("do not exceed the total, and keep no workspace waiting for all writers of another", async () => {
    const writeLock = new FairWriteLock({ maxConcurrent: 1, acquireTimeoutMs: 60_000 });
    const began: string[] = [];
    const busy = Array.from({ length: 5 }, () => start(writeLock, began, ["a"]));
    const other = start(writeLock, began, ["b"]);
    await settled();
    const none = start(writeLock, began, [], "none");
    await settled();
    expect(began).toEqual(["a"]);
    await busy[0]?.end();
    await other.end();
    await none.end();
    for (const each of busy.slice(1)) await each.end();
    expect(began).toEqual(["a", "b", "none", "a", "a", "a", "a"]);
  });

  it("refuse a writer that has waited too long, and go on with the next one", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const writeLock = new FairWriteLock({ maxConcurrent: 1, acquireTimeoutMs: 10_000 });
    const end = await writeLock.acquire(["a"]);
    const refused = [["a"], ["b"], []].map((locks) =>
      expect(writeLock.acquire(locks)).rejects.toThrow(DatabaseUnavailableError),
    );
    vi.advanceTimersByTime(10_000);
    await Promise.all(refused);
    end();
    (await writeLock.acquire(["a"]))();
    (await writeLock.acquire(["b"]))();
  });
});
