import { statfs } from "node:fs/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type LargeDatabase, MemoryWatch, memoryLimitsFor } from "../src/databases/memory-watch.js";
import { openPool } from "../src/databases/pool.js";
import { ephemeralBase } from "../src/directories.js";
import { Cluster } from "./cluster.js";

const mebibyte = 1024 ** 2;
const patient = { timeout: 60_000, interval: 50 };
const log: string[] = [];
const directory = await ephemeralBase();
const cluster = new Cluster({
  memory: { directory, perDatabase: 20 * mebibyte, total: 200 * mebibyte },
  penalty: 500,
  onLog: (line) => log.push(line),
});

describe("a database in memory", () => {
  it("is closed when it exceeds its limit, until a backup is restored, and others are not", async () => {
    const [large, small] = [await cluster.makeTenant(), await cluster.makeTenant()];
    await cluster.databases.backup(large.id, "bkp_small");
    const other = await cluster.connect(small.id, small.credential);
    const session = await cluster.connect(large.id, large.credential);
    session.on("error", () => undefined);
    await session.query("create table filled (id uuid, number int)");
    const insert = "insert into filled select gen_random_uuid(), generate_series(1, 50000)";
    for (let isOpen = true; isOpen;) {
      isOpen = await session.query(insert).then(
        () => true,
        () => false,
      );
    }
    await vi.waitFor(
      () => expect(cluster.connect(large.id, large.credential)).rejects.toMatchObject({ code: "53300" }),
      patient,
    );
    expect(log.join()).toContain(`The database ${large.id} uses too much memory`);
    await other.query("create table kept (id int)");

    await cluster.databases.restore(large.id, "bkp_small");
    await vi.waitFor(() => cluster.connect(large.id, large.credential), patient);
  });

  it("has a limit only on a file system in memory", async () => {
    const { type, bavail, bsize } = await statfs(directory);
    const isInMemory = type === 0x0102_1994;
    const limits = await memoryLimitsFor(directory);
    expect(limits === undefined).toBe(!isInMemory);
    if (isInMemory) expect(limits).toMatchObject({ directory, perDatabase: 1024 * mebibyte });
    expect(limits?.total ?? 0).toBeLessThanOrEqual(bavail * bsize);
    expect(limits?.total ?? Infinity).toBeGreaterThan(bavail);
  });

  it.skipIf(process.platform !== "linux")("has no limit on another file system", async () => {
    expect(await memoryLimitsFor("/proc")).toBeUndefined();
  });
});

describe("the lookup of sizes", () => {
  const watchWith = (limits: { perDatabase: number; total: number }): MemoryWatch => {
    const { port, password } = cluster.address;
    const pool = openPool({ host: "127.0.0.1", port, user: "postgres", password, ssl: false });
    onTestFinished(() => pool.end());
    return new MemoryWatch({ directory, ...limits }, pool);
  };

  const bytesInUse = async (): Promise<number> => {
    const { blocks, bfree, bsize } = await statfs(directory);
    return (blocks - bfree) * bsize;
  };

  it("waits until the file system has grown by a sixteenth of the limit per database, unless it is requested", async () => {
    await cluster.makeTenant();
    // No total is large enough, so that each lookup finds the largest database.
    const found = [expect.objectContaining({ name: expect.any(String) })];
    const used = await bytesInUse();
    expect(await watchWith({ perDatabase: 4 * used, total: 0 }).findLarge(false)).toEqual(found);
    // Other tests use the same file system, but do not multiply what is in use within one lookup.
    expect(await watchWith({ perDatabase: 16 * 4 * used, total: 0 }).findLarge(false)).toEqual([]);
    const watch = watchWith({ perDatabase: 16 * 4 * used, total: 0 });
    expect(await watch.findLarge(true)).toEqual(found);
    expect(await watch.findLarge(false)).toEqual([]);
  });

  it("finds every database above its limit, and only the largest one above the limit of all", async () => {
    const [large, small] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const session = await cluster.connect(large.id, large.credential);
    await session.query("create table filled as select generate_series(1, 200000)");
    const names = (found: LargeDatabase[]): string[] => found.map(({ name }) => name);
    const every = names(await watchWith({ perDatabase: 0, total: Infinity }).findLarge(true));
    expect(every).toEqual(expect.arrayContaining([large.id, small.id]));
    const largest = await watchWith({ perDatabase: Infinity, total: 0 }).findLarge(true);
    expect(names(largest)).toEqual([large.id]);
    expect(await watchWith({ perDatabase: Infinity, total: Infinity }).findLarge(true)).toEqual([]);
  });
});
