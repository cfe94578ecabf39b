import type { Client } from "pg";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AdminConnection } from "../../src/connection/admin-connection.js";
import { TenantGuard, type TenantLimits } from "../../src/guard/tenant-guard.js";
import type { ReadWorkspaces } from "../../src/guard/workspaces.js";
import { readBytesInUse } from "../../../platform/src/machine/memory-limits.js";
import { Cluster } from "../../../platform/test/cluster.js";
import { connectionLimitOf } from "../sessions.js";

// A workspace with two databases, and its neighbor, whose database uses more of everything than each of the two, but less than both. Each
// test checks the limits itself. Nothing else does, because the databases are closed.

const cluster = new Cluster();

type Tenant = Awaited<ReturnType<Cluster["makeTenant"]>>;
const databases: Tenant[] = [];
let admin: Client;

beforeAll(async () => {
  for (let count = 0; count < 3; count += 1) databases.push(await cluster.makeTenant());
  await cluster.closeDatabases();
  admin = await cluster.connectAsAdmin("postgres");
});

beforeEach(async () => {
  await admin.query(
    "select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename like 'role_tenant%'",
  );
  for (const { id } of databases) await admin.query(`alter database ${id} connection limit 100`);
});

const readWorkspaces: ReadWorkspaces = () =>
  Promise.resolve(
    new Map(databases.map(({ id }, index) => [id, index < 2 ? "wksp_shared" : "wksp_neighbor"])),
  );

/** The control has a workspace for each database. */
const cases = [
  ["a workspace", readWorkspaces],
  ["the control, in which each database has a workspace of its own,", undefined],
] as const;

const openOn = async (index: number, count: number): Promise<Client[]> => {
  const { id, credential } = databases[index] ?? (await cluster.makeTenant());
  return Promise.all(Array.from({ length: count }, () => cluster.connect(id, credential)));
};

const withGuard = async (
  limits: Partial<TenantLimits>,
  read: ReadWorkspaces | undefined,
  work: (guard: TenantGuard) => Promise<unknown>,
): Promise<void> => {
  const own = new AdminConnection(cluster.policy);
  const guard = new TenantGuard(own, limits, { readWorkspaces: read });
  try {
    // Another guard is in charge until its session has ended.
    await vi.waitFor(async () => expect(await guard.applyLimits()).toBe(true));
    await work(guard);
  } finally {
    await guard.close();
    await own.close();
  }
};

const readLimits = async (): Promise<(number | undefined)[]> =>
  Promise.all(databases.map(({ id }) => connectionLimitOf(admin, id)));

describe("a check of the limits", () => {
  it.each(cases)("of connections takes from %s what it has too many", async (name, read) => {
    await openOn(0, 1);
    await withGuard({ sharedConnectionThreshold: 10 }, read, async (guard) => {
      await Promise.all([openOn(0, 3), openOn(1, 4), openOn(2, 5)]);
      await guard.applyLimits();
      expect(await readLimits()).toEqual(name === "a workspace" ? [2, 2, 5] : [3, 3, 3]);
    });
  });

  it.each(cases)("of locks closes the larger database of %s", async (name, read) => {
    const sessions = [await openOn(0, 1), await openOn(1, 1), await openOn(2, 1)].flat();
    await withGuard({ maxLocks: 220 }, read, async (guard) => {
      const locks = "select pg_advisory_lock($1::int, key) from generate_series(1, $2::int) key";
      for (const [index, count] of [61, 60, 100].entries())
        await sessions[index]?.query(locks, [index, count]);
      await guard.applyLimits();
      expect(await readLimits()).toEqual(name === "a workspace" ? [0, 100, 100] : [100, 100, 0]);
    });
  });

  it.each(cases)("of memory closes the larger database of %s", async (name, read) => {
    const sessions = [await openOn(0, 1), await openOn(1, 1), await openOn(2, 1)].flat();
    for (const [index, count] of [20_000, 1, 40_000].entries())
      await sessions[index]?.query(
        `create table if not exists large as select generate_series(1, ${String(count)}) as id`,
      );
    const { rows } = await admin.query<{ total: number }>(
      "select sum(pg_database_size(datname))::float8 as total from pg_database where datname = any ($1)",
      [databases.map(({ id }) => id)],
    );
    const readUsedBytes = (): Promise<number> => readBytesInUse(cluster.directory);
    const memory = {
      readUsedBytes,
      maxBytesPerDatabase: await readUsedBytes(),
      maxTotalBytes: (rows[0]?.total ?? 0) - 1,
    };
    await withGuard({ memory }, read, async () => {
      expect(await readLimits()).toEqual(name === "a workspace" ? [0, 100, 100] : [100, 100, 0]);
    });
  });
});
