import { statfs } from "node:fs/promises";
import type { Client } from "pg";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Admin } from "../src/databases/admin.js";
import { TenantGuard, type TenantLimits } from "../src/databases/tenant-guard.js";
import { Cluster, adminPassword, findPrograms } from "./cluster.js";

// Each test checks the limits itself, at the moments that it chooses. Nothing else does, because the databases are closed.

const cluster = new Cluster();
const patient = { timeout: 60_000, interval: 20 };
const penalty = 60_000;

type Tenant = Awaited<ReturnType<Cluster["makeTenant"]>>;
let [first, second]: Tenant[] = [];
let admin: Client;

beforeAll(async () => {
  [first, second] = [await cluster.makeTenant(), await cluster.makeTenant()];
  await cluster.closeDatabases();
  admin = await cluster.connectAsAdmin("postgres");
});

/** Returns the tenants, which every test begins with: without sessions and with the usual limits. */
const tenants = (): [Tenant, Tenant] => {
  if (first === undefined || second === undefined) throw new Error("There are no tenants");
  return [first, second];
};

const countSessions = async (): Promise<number> => {
  const { rows } = await admin.query<{ count: number }>(
    "select count(*)::int from pg_stat_activity where usename like 'role_tenant%'",
  );
  return rows[0]?.count ?? 0;
};

/** Waits until Postgres has exactly this number of sessions of tenants: it removes them after their clients have gone. */
const waitForSessions = (count: number): Promise<void> =>
  vi.waitFor(async () => expect(await countSessions()).toBe(count), patient);

beforeEach(async () => {
  await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where usename like 'role_tenant%'",
  );
  await waitForSessions(0);
  for (const { id } of tenants()) await admin.query(`alter database ${id} connection limit 100`);
});

/** Does the work with a guard that applies these limits at each check. */
const withGuard = async (
  limits: Partial<TenantLimits>,
  work: (guard: TenantGuard) => Promise<void>,
): Promise<void> => {
  const { major } = (await findPrograms()).binaries;
  const own = new Admin({ port: cluster.server.port, password: adminPassword }, major);
  const guard = new TenantGuard(own, { penalty, ...limits });
  try {
    await work(guard);
  } finally {
    await guard.close();
    await own.close();
    // The next guard can apply its limits when the session of this one has ended.
    await vi.waitFor(async () => {
      const { rows } = await admin.query(
        `select from pg_locks l join pg_database d on d.oid = l.database and d.datname = 'postgres'
          where l.locktype = 'advisory'`,
      );
      expect(rows).toEqual([]);
    }, patient);
  }
};

const open = async ({ id, credential }: Tenant, count: number): Promise<Client[]> => {
  const sessions: Client[] = [];
  for (let index = 0; index < count; index += 1) sessions.push(await cluster.connect(id, credential));
  return sessions;
};

const isAlive = (session: Client): Promise<boolean> =>
  session.query("select").then(
    () => true,
    () => false,
  );

const limitOf = async ({ id }: Tenant): Promise<number | undefined> => {
  const { rows } = await admin.query<{ limit: number }>(
    "select datconnlimit as limit from pg_database where datname = $1",
    [id],
  );
  return rows[0]?.limit;
};

const limits = async (): Promise<(number | undefined)[]> => Promise.all(tenants().map(limitOf));

describe("a check of the limits of tenants", () => {
  it("restores the usual limit, and returns whether a tenant has sessions", () =>
    withGuard({}, async (guard) => {
      const [idle, used] = tenants();
      await admin.query(`alter database ${idle.id} connection limit -1`);
      expect(await guard.check()).toBe(false);
      expect(await limits()).toEqual([100, 100]);

      await open(used, 1);
      await admin.query(`alter database ${idle.id} connection limit -1`);
      expect(await guard.check()).toBe(true);
      expect(await limits()).toEqual([100, 100]);
    }));

  it("ends the newest sessions when there are too many, and keeps the limit until a quarter is free", () =>
    withGuard({ crowded: 8 }, async (guard) => {
      const [large, small] = tenants();
      const few = await open(small, 2);
      const many = await open(large, 6);
      await guard.check();
      expect(await limits()).toEqual([100, 100]);

      const newest = await open(large, 3);
      await guard.check();
      expect(await limits()).toEqual([6, 6]);
      await waitForSessions(8);
      expect(await Promise.all([...few, ...many].map(isAlive))).not.toContain(false);
      expect(await Promise.all(newest.map(isAlive))).not.toContain(true);

      await Promise.all(many.slice(0, 2).map((session) => session.end()));
      await waitForSessions(6);
      await guard.check();
      expect(await limits()).toEqual([6, 6]);
      await many[2]?.end();
      await waitForSessions(5);
      await guard.check();
      expect(await limits()).toEqual([100, 100]);
    }));

  it("closes the database whose sessions together hold the most locks, for the time of the penalty", async () => {
    const [greedy, modest] = tenants();
    const sessions = [...(await open(greedy, 2)), ...(await open(modest, 1))];
    for (const [index, count] of [60, 60, 70].entries()) {
      const locks = "select pg_advisory_lock($1::int, key) from generate_series(1, $2::int) key";
      await sessions[index]?.query(locks, [index, count]);
    }
    await withGuard({ locks: 190 }, async (guard) => {
      expect(await guard.check()).toBe(true);
      expect(await limits()).toEqual([100, 100]);
    });

    const now = vi.spyOn(Date, "now").mockReturnValue(1_000);
    await withGuard({ locks: 189 }, async (guard) => {
      await guard.check();
      expect(await limits()).toEqual([0, 100]);
      expect(await Promise.all(sessions.map(isAlive))).toEqual([false, false, true]);
      now.mockReturnValue(1_000 + penalty - 1);
      await guard.check();
      expect(await limits()).toEqual([0, 100]);
      now.mockReturnValue(1_000 + penalty);
      await guard.check();
      expect(await limits()).toEqual([100, 100]);
      now.mockRestore();
    });
  });
});

describe("a check of databases in memory", () => {
  const unlimited = 2 ** 60;

  it("closes databases that are too large, until they are smaller, and says so once", async () => {
    const log: string[] = [];
    const now = vi.spyOn(Date, "now").mockReturnValue(1_000);
    const memory = { directory: cluster.directory, perDatabase: 1, total: unlimited };
    await withGuard({ memory, onLog: (line) => log.push(line) }, async (guard) => {
      await guard.check();
      expect(await limits()).toEqual([0, 0]);
      now.mockReturnValue(1_000 + penalty);
      await guard.check();
      expect(await limits()).toEqual([0, 0]);
      now.mockRestore();
    });
    expect(log).toHaveLength(2);
    for (const { id } of tenants())
      expect(log.join("\n")).toContain(`The database ${id} uses too much memory`);
  });

  it("closes the largest when all together are too large", async () => {
    const [large] = tenants();
    const [session] = await open(large, 1);
    await session?.query("create table filled as select generate_series(1, 50000) as id");
    const { blocks, bfree, bsize } = await statfs(cluster.directory);
    const used = (blocks - bfree) * bsize;
    await withGuard({ memory: { directory: cluster.directory, perDatabase: used, total: 0 } }, (guard) =>
      guard.check().then(async () => expect(await limits()).toEqual([0, 100])),
    );
    await admin.query(`alter database ${large.id} connection limit 100`);
    await withGuard(
      { memory: { directory: cluster.directory, perDatabase: used, total: unlimited } },
      (guard) => guard.check().then(async () => expect(await limits()).toEqual([100, 100])),
    );
  });

  it("does not look at them while the file system has hardly grown", () =>
    withGuard(
      { memory: { directory: cluster.directory, perDatabase: unlimited, total: 0 } },
      async (guard) => {
        await guard.check();
        expect(await limits()).toEqual([100, 100]);
      },
    ));
});
