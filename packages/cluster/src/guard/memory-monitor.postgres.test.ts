import type { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type MemoryLimits, type LargeDatabase, MemoryMonitor } from "./memory-monitor.js";
import { Workspaces } from "./workspaces.js";
import { openPool } from "../connection/pool.js";
import { toClientConfig } from "../policy/address.js";
import { chooseEphemeralParent } from "../../../platform/src/machine/data-dir/directories.js";
import { readBytesInUse } from "../../../platform/src/machine/memory-limits.js";
import { installation } from "../../../platform/test/installation.js";
import { Cluster } from "../../../platform/test/cluster.js";

const mebibyte = 1024 ** 2;
const log: string[] = [];
const directory = await chooseEphemeralParent();
const used = () => readBytesInUse(directory);
const cluster = new Cluster({
  memory: { readUsedBytes: used, maxBytesPerDatabase: 20 * mebibyte, maxTotalBytes: 200 * mebibyte },
  closedMs: 500,
  onLog: (line) => log.push(line),
});

const repeatUntilClosed = async (session: Client, statement: string): Promise<void> => {
  for (let isOpen = true; isOpen;) {
    isOpen = await session.query(statement).then(
      () => true,
      () => false,
    );
  }
};

describe("a database in memory", () => {
  it("is closed when it exceeds its limit, until a backup is restored, and others are not", async () => {
    const [large, small] = [await cluster.makeTenant(), await cluster.makeTenant()];
    await cluster.databases.backup(large.id, "bkp_small");
    const other = await cluster.connect(small.id, small.credential);
    const session = await cluster.connect(large.id, large.credential);
    session.on("error", () => undefined);
    await session.query("create table filled (id uuid, number int)");
    const insert = "insert into filled select gen_random_uuid(), generate_series(1, 50000)";
    await repeatUntilClosed(session, insert);
    await vi.waitFor(() =>
      expect(cluster.connect(large.id, large.credential)).rejects.toMatchObject({ code: "53300" }),
    );
    expect(log.join()).toContain(`The database ${large.id} uses too much memory`);
    await other.query("create table kept (id int)");

    await cluster.databases.restore(large.id, "bkp_small");
    await vi.waitFor(() => cluster.connect(large.id, large.credential));
  });

  it.each([
    [
      "exported snapshots",
      `begin; create temporary table written (i int); do $$ begin
        for i in 1..20000 loop begin insert into written values (i); exception when others then null; end; end loop;
      end $$`,
      "select pg_export_snapshot()",
    ],
    [
      "objects in a catalog that all databases share",
      "",
      "select lo_create(0) from generate_series(1, 5000)",
    ],
  ])("is closed when it is small, but has filled %s", async (_, preparation, fill) => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    await session.query(preparation);
    await repeatUntilClosed(session, fill);
    await vi.waitFor(() => expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "53300" }));
    // The control: its own size is below the limit.
    const admin = await cluster.connectAsAdmin("postgres");
    const { rows } = await admin.query("select pg_database_size($1) < $2 as small", [id, 20 * mebibyte]);
    expect(rows).toEqual([{ small: true }]);
    await cluster.databases.drop(id);
  });
});

describe("the lookup of sizes", () => {
  const monitorWith = (
    limits: Pick<MemoryLimits, "maxBytesPerDatabase" | "maxTotalBytes">,
  ): MemoryMonitor => {
    const pool = openPool({ ...toClientConfig(cluster.policy.address, "mgmt"), database: "postgres" });
    onTestFinished(() => pool.end());
    return new MemoryMonitor(
      { readUsedBytes: used, ...limits },
      pool,
      new Workspaces(undefined),
      installation,
    );
  };

  it("waits until the file system has grown by a sixteenth of the limit per database, unless it is requested", async () => {
    await cluster.makeTenant();
    // No total is large enough, so that each lookup finds the largest database.
    const found = [expect.objectContaining({ name: expect.any(String) })];
    const inUse = await used();
    expect(
      await monitorWith({ maxBytesPerDatabase: 4 * inUse, maxTotalBytes: 0 }).findLargeDatabases(false),
    ).toEqual(found);
    // Other tests use the same file system, but do not multiply what is in use within one lookup.
    expect(
      await monitorWith({ maxBytesPerDatabase: 16 * 4 * inUse, maxTotalBytes: 0 }).findLargeDatabases(false),
    ).toEqual([]);
    const watch = monitorWith({ maxBytesPerDatabase: 16 * 4 * inUse, maxTotalBytes: 0 });
    expect(await watch.findLargeDatabases(true)).toEqual(found);
    expect(await watch.findLargeDatabases(false)).toEqual([]);
  });

  it("finds every database above its limit, and only the largest one above the limit of all", async () => {
    const [large, small] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const session = await cluster.connect(large.id, large.credential);
    await session.query("create table filled as select generate_series(1, 300000)");
    const names = (found: LargeDatabase[]): string[] => found.map(({ name }) => name);
    const every = names(
      await monitorWith({ maxBytesPerDatabase: 0, maxTotalBytes: Infinity }).findLargeDatabases(true),
    );
    expect(every).toEqual(expect.arrayContaining([large.id, small.id]));
    const findLargest = async (): Promise<string[]> =>
      names(await monitorWith({ maxBytesPerDatabase: Infinity, maxTotalBytes: 0 }).findLargeDatabases(true));
    expect(await findLargest()).toEqual([large.id]);
    // Backups count, also those of small databases.
    await cluster.databases.backup(small.id, "bkp_one");
    await cluster.databases.backup(small.id, "bkp_two");
    expect(await findLargest()).toEqual([small.id]);
    expect(
      await monitorWith({ maxBytesPerDatabase: Infinity, maxTotalBytes: Infinity }).findLargeDatabases(true),
    ).toEqual([]);
  });
});
