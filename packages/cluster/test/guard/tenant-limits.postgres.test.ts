import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "pg";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AdminConnection } from "../../src/connection/admin-connection.js";
import { TenantGuard, type TenantLimits } from "../../src/guard/tenant-guard.js";
import { readBytesInUse } from "../../../platform/src/machine/memory-limits.js";
import { Cluster, ownClusterAt } from "../../../platform/test/cluster.js";
import { connectionLimitOf, makeAdmin } from "../sessions.js";
import { platformRole } from "../../../platform/test/installation.js";

// Each test checks the limits itself, at the moments that it chooses. Nothing else does, because the databases are closed.

const cluster = new Cluster();
const penalty = 60_000;
const unlimited = 2 ** 60;
const used = (): Promise<number> => readBytesInUse(cluster.directory);

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
  vi.waitFor(async () => expect(await countSessions()).toBe(count));

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
  report?: (problem: string) => void,
): Promise<void> => {
  const own = new AdminConnection(cluster.policy);
  const guard = new TenantGuard(own, { closedMs: penalty, ...limits }, { report });
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
    });
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

const limits = async (): Promise<(number | undefined)[]> =>
  Promise.all(tenants().map(({ id }) => connectionLimitOf(admin, id)));

describe("a check of the limits of tenants", () => {
  it("restores the usual limit, and returns whether a tenant does something", () =>
    withGuard({}, async (guard) => {
      const [idle, used] = tenants();
      await admin.query(`alter database ${idle.id} connection limit -1`);
      expect(await guard.applyLimits()).toBe(false);
      expect(await limits()).toEqual([100, 100]);

      await open(used, 1);
      await admin.query(`alter database ${idle.id} connection limit -1`);
      expect(await guard.applyLimits()).toBe(true);
      expect(await limits()).toEqual([100, 100]);
    }));

  it("changes nothing while all limits are right", () =>
    withGuard({}, async (guard) => {
      const versions = "select xmin::text, datname from pg_database order by datname";
      await open(tenants()[0], 1);
      const { rows: before } = await admin.query(versions);
      await guard.applyLimits();
      expect((await admin.query(versions)).rows).toEqual(before);
    }));

  it("does not change the databases of Postgres itself", () =>
    withGuard({}, async (guard) => {
      await admin.query(`alter database template0 owner to "${platformRole}"`);
      await guard.applyLimits();
      expect(await connectionLimitOf(admin, "template0")).toBe(-1);
      await admin.query("alter database template0 owner to postgres");
    }));

  it("ends the newest sessions when there are too many, and keeps the limit until a quarter is free", () =>
    withGuard({ sharedConnectionThreshold: 8 }, async (guard) => {
      const [large, small] = tenants();
      const few = await open(small, 2);
      const many = await open(large, 6);
      await guard.applyLimits();
      expect(await limits()).toEqual([100, 100]);

      const newest = await open(large, 3);
      await guard.applyLimits();
      expect(await limits()).toEqual([6, 6]);
      await waitForSessions(8);
      expect(await Promise.all([...few, ...many].map(isAlive))).not.toContain(false);
      expect(await Promise.all(newest.map(isAlive))).not.toContain(true);

      await Promise.all(many.slice(0, 2).map((session) => session.end()));
      await waitForSessions(6);
      await guard.applyLimits();
      expect(await limits()).toEqual([6, 6]);
      await many[2]?.end();
      await waitForSessions(5);
      await guard.applyLimits();
      expect(await limits()).toEqual([100, 100]);
    }));

  it.each([0, 1])(
    "closes the database with the most locks, for the time of the penalty: %s",
    async (most) => {
      const [greedy, modest] = most === 0 ? tenants() : tenants().toReversed();
      if (greedy === undefined || modest === undefined) throw new Error("There are no tenants");
      const closed = most === 0 ? [0, 100] : [100, 0];
      const sessions = [...(await open(greedy, 2)), ...(await open(modest, 1))];
      for (const [index, count] of [60, 60, 70].entries()) {
        const locks = "select pg_advisory_lock($1::int, key) from generate_series(1, $2::int) key";
        await sessions[index]?.query(locks, [index, count]);
      }
      await withGuard({ maxLocks: 190 }, async (guard) => {
        expect(await guard.applyLimits()).toBe(true);
        expect(await limits()).toEqual([100, 100]);
      });

      const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
      await withGuard({ maxLocks: 189 }, async (guard) => {
        await guard.applyLimits();
        expect(await limits()).toEqual(closed);
        expect(await Promise.all(sessions.map(isAlive))).toEqual([false, false, true]);
        now.mockReturnValue(1_000 + penalty - 1);
        await guard.applyLimits();
        expect(await limits()).toEqual(closed);
        now.mockReturnValue(1_000 + penalty);
        await guard.applyLimits();
        expect(await limits()).toEqual([100, 100]);
        now.mockRestore();
      });
    },
  );
});

it("ends the sessions that hold all locks of the server, also when the process that applied the limits has ended", async () => {
  const [greedy] = tenants();
  const [session] = await open(greedy, 1);
  const takeAll = async (): Promise<void> => {
    const takeMany = "select pg_advisory_lock(key) from generate_series(1, 1e6::int) key";
    await expect(session?.query(takeMany)).rejects.toMatchObject({ code: "53200" });
  };
  await withGuard({ maxLocks: 1_000 }, async (second) => {
    const first = new TenantGuard(makeAdmin(cluster), {});
    await first.applyLimits();
    expect(await second.applyLimits()).toBe(false);
    await takeAll();
    await first.close();
    // The first guard has released its lock.
    await takeAll();
    // Its other statements can still find no free lock.
    await vi.waitFor(() => second.applyLimits());
    await vi.waitFor(async () => expect(await limits()).toEqual([0, 100]));
    expect(session && (await isAlive(session))).toBe(false);
  });
});

describe("regular checks of the limits", () => {
  /** Returns the times after which the guard checks again that were set during the work, in milliseconds. */
  const delaysDuring = async (work: () => Promise<unknown>): Promise<(number | undefined)[]> => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    try {
      await work();
      return timers.mock.calls.map(([, delay]) => delay).filter((delay) => delay === 250 || delay === 1_000);
    } finally {
      timers.mockRestore();
    }
  };

  it("are more frequent while tenants do something", async () => {
    await withGuard({}, async (guard) => {
      expect(await delaysDuring(() => guard.start())).toEqual([1_000]);
    });
    await open(tenants()[0], 1);
    await withGuard({}, async (guard) => {
      expect(await delaysDuring(() => guard.start())).toEqual([250]);
    });
  });

  it("are rare again while sessions are idle, but not while one keeps a transaction open", async () => {
    const [session] = await open(tenants()[0], 1);
    const untilUnused = (): Promise<void> =>
      vi.waitFor(
        async () => {
          const { rowCount } = await admin.query(`select from pg_stat_activity
            where usename like 'role_tenant%' and state_change < clock_timestamp() - interval '2.1 s'`);
          expect(rowCount).toBe(1);
        },
        { timeout: 10_000 },
      );
    await withGuard({}, async (guard) => {
      await session?.query("begin");
      await untilUnused();
      expect(await guard.applyLimits()).toBe(true);
      await session?.query("rollback");
      expect(await guard.applyLimits()).toBe(true);
      await untilUnused();
      expect(await guard.applyLimits()).toBe(false);
    });
  });

  it("go on when Postgres cannot be reached", async () => {
    const lost = new AdminConnection(ownClusterAt(1));
    const guard = new TenantGuard(lost, {});
    expect(await delaysDuring(() => guard.start())).toEqual([250]);
    await guard.close();
    await lost.close();
  });

  it("end when the guard is closed during one", async () => {
    const guard = new TenantGuard(makeAdmin(cluster), {});
    expect(await delaysDuring(() => Promise.all([guard.start(), guard.close()]))).toEqual([]);
  });
});

describe("a check of databases in memory", () => {
  it("closes databases that are too large, until they are smaller, and says so once", async () => {
    const log: string[] = [];
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    const memory = { readUsedBytes: used, maxBytesPerDatabase: 1, maxTotalBytes: unlimited };
    const checkTwice = async (guard: TenantGuard): Promise<void> => {
      await guard.applyLimits();
      expect(await limits()).toEqual([0, 0]);
      expect(log).toHaveLength(2);
      now.mockReturnValue(1_000 + penalty);
      await guard.applyLimits();
      expect(await limits()).toEqual([0, 0]);
      now.mockRestore();
    };
    await withGuard({ memory }, checkTwice, (problem) => log.push(problem));
    expect(log).toHaveLength(2);
    for (const { id } of tenants())
      expect(log.join("\n")).toContain(`The database ${id} uses too much memory`);
  });

  const mebibyte = 1024 ** 2;

  const sizeOf = async ({ id }: Tenant): Promise<number> => {
    const { rows } = await admin.query<{ size: number }>("select pg_database_size($1)::float8 as size", [id]);
    return rows[0]?.size ?? 0;
  };

  /** Adds rows to a table of the tenant, about a megabyte each time. */
  const fill = async (tenant: Tenant): Promise<void> => {
    const [session] = await open(tenant, 1);
    await session?.query("create table if not exists filled (id uuid)");
    await session?.query("insert into filled select gen_random_uuid() from generate_series(1, 25000)");
    await session?.end();
  };

  /** Drops the table, whose space is free after the next checkpoint. */
  const empty = async (tenant: Tenant): Promise<void> => {
    await admin.query(`alter database ${tenant.id} connection limit 100`);
    const [session] = await open(tenant, 1);
    await session?.query("drop table filled");
    await session?.end();
    await admin.query("checkpoint");
  };

  it("keeps a database closed that is still too large after the penalty, and opens it when it is smaller", async () => {
    const [large] = tenants();
    await fill(large);
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    const memory = {
      readUsedBytes: used,
      maxBytesPerDatabase: (await sizeOf(large)) - 1,
      maxTotalBytes: unlimited,
    };
    await withGuard({ memory }, async (guard) => {
      await guard.applyLimits();
      expect(await limits()).toEqual([0, 100]);
      now.mockReturnValue(1_000 + penalty / 2);
      await guard.applyLimits();
      now.mockReturnValue(1_000 + penalty);
      await guard.applyLimits();
      expect(await limits()).toEqual([0, 100]);

      await empty(large);
      now.mockReturnValue(1_000 + 2 * penalty);
      await guard.applyLimits();
      expect(await limits()).toEqual([100, 100]);
      now.mockRestore();
    });
  });

  it("notices growth, also after the file system had more in it before", async () => {
    const [large] = tenants();
    const perDatabase = (await sizeOf(large)) + mebibyte;
    const other = join(cluster.directory, "other");
    await writeFile(other, Buffer.alloc(20 * mebibyte));
    await withGuard(
      { memory: { readUsedBytes: used, maxBytesPerDatabase: perDatabase, maxTotalBytes: unlimited } },
      async (guard) => {
        await guard.applyLimits();
        expect(await limits()).toEqual([100, 100]);
        await rm(other);
        await guard.applyLimits();
        // Other processes may free some of the same memory at any time.
        await vi.waitFor(async () => {
          await fill(large);
          await guard.applyLimits();
          expect(await limits()).toEqual([0, 100]);
        });
      },
    );
    await empty(large);
  });

  it("closes the largest when all together are too large", async () => {
    const [large] = tenants();
    const [session] = await open(large, 1);
    await session?.query("create table filled as select generate_series(1, 50000) as id");
    const inUse = await used();
    await withGuard(
      { memory: { readUsedBytes: used, maxBytesPerDatabase: inUse, maxTotalBytes: 0 } },
      (guard) => guard.applyLimits().then(async () => expect(await limits()).toEqual([0, 100])),
    );
    await admin.query(`alter database ${large.id} connection limit 100`);
    await withGuard(
      { memory: { readUsedBytes: used, maxBytesPerDatabase: inUse, maxTotalBytes: unlimited } },
      (guard) => guard.applyLimits().then(async () => expect(await limits()).toEqual([100, 100])),
    );
  });

  it("does not look at them while the file system has hardly grown", () =>
    withGuard(
      { memory: { readUsedBytes: used, maxBytesPerDatabase: unlimited, maxTotalBytes: 0 } },
      async (guard) => {
        await guard.applyLimits();
        expect(await limits()).toEqual([100, 100]);
      },
    ));
});
