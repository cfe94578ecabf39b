import type { Client } from "pg";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AdminConnection } from "../connection/admin-connection.js";
import { TenantGuard } from "./tenant-guard.js";
import { Cluster } from "../../../platform/test/cluster.js";
import { connectionLimitOf } from "../../test/sessions.js";

const mebibyte = 1024 ** 2;

/** Runs a statement with a string of this many random bytes, which Postgres cannot compress, in place of `%L`. */
const withLargeString = (statement: string, bytes: number, isEndless = false): string => `
  do $do$ declare large text; begin
    select string_agg(md5(random()::text), '') into large from generate_series(1, ${String(Math.ceil(bytes / 32))});
    loop
      execute format($statement$ ${statement} $statement$, large);
      exit when ${String(!isEndless)};
    end loop;
  end $do$`;

describe.each([
  ["of the platform", undefined],
  ["that others also use", "renter"],
])("in a cluster %s, a tenant", (_, user) => {
  const cluster = new Cluster({}, user === undefined ? {} : { user });
  const tenants: Awaited<ReturnType<Cluster["makeTenant"]>>[] = [];
  let admin: Client;

  beforeAll(async () => {
    for (let count = 0; count < 6; count += 1) tenants.push(await cluster.makeTenant());
    await cluster.closeDatabases();
    admin = await cluster.connectAsAdmin("postgres");
  });
  afterEach(() => vi.restoreAllMocks());

  const take = () => {
    const tenant = tenants.shift();
    if (tenant === undefined) throw new Error("There are no more tenants");
    return tenant;
  };

  let closeGuard = (): Promise<void> => Promise.resolve();
  afterEach(() => closeGuard());

  /** Closes the guard of before, if there is one. */
  const makeGuard = async (maxSharedCatalogBytes: number): Promise<TenantGuard> => {
    await closeGuard();
    const own = new AdminConnection(cluster.policy);
    const guard = new TenantGuard(own, { maxSharedCatalogBytes });
    closeGuard = async () => {
      closeGuard = () => Promise.resolve();
      await guard.close();
      await own.close();
    };
    const countLeaders = async (): Promise<number> => {
      const { rowCount } = await admin.query(
        `select from pg_locks l join pg_database d on d.oid = l.database and d.datname = $1
          where l.locktype = 'advisory'`,
        [own.address.database],
      );
      return rowCount ?? 0;
    };
    // Another guard is in charge until its session has ended.
    await vi.waitFor(async () => expect(await countLeaders()).toBe(0));
    await vi.waitFor(async () => {
      await guard.applyLimits();
      expect(await countLeaders()).toBe(1);
    });
    return guard;
  };

  const sharedBytes = async (): Promise<number> => {
    const { rows } = await admin.query<{ bytes: number }>(
      "select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relisshared and relkind = 'r'",
    );
    return rows[0]?.bytes ?? 0;
  };

  it("is closed while it fills shared catalogs in one transaction, and its neighbor is not", async () => {
    const [attacker, neighbor] = [take(), tenants[0] ?? take()];
    const [session, other] = await Promise.all(
      [attacker, neighbor].map(({ id, credential }) => cluster.connect(id, credential)),
    );
    if (session === undefined || other === undefined) throw new Error("There are no sessions");
    const fillEndlessly = withLargeString(`comment on database ${attacker.id} is %L`, mebibyte, true);
    const before = await sharedBytes();
    const unlimited = await makeGuard(Infinity);
    const ended = expect(session.query(fillEndlessly)).rejects.toThrow();
    await vi.waitFor(async () => {
      await unlimited.applyLimits();
      // The control: without a limit, nothing stops it.
      expect(await sharedBytes()).toBeGreaterThan(before + 16 * mebibyte);
    });

    const guard = await makeGuard(mebibyte);
    await vi.waitFor(async () => {
      await other.query("alter role current_user set work_mem = '5MB'");
      await guard.applyLimits();
      expect(await connectionLimitOf(admin, attacker.id)).toBe(0);
    });
    await ended;
    expect(await connectionLimitOf(admin, neighbor.id)).toBe(100);
    await other.query("select");
  });

  it("is closed when it has stored too much in them, which is removed", async () => {
    const { id, credential } = take();
    const session = await cluster.connect(id, credential);
    await session.query(withLargeString(`comment on database ${id} is %L`, mebibyte));
    await session.query(withLargeString(`alter database ${id} set application_name = %L`, mebibyte));
    await session.query("set role none");
    await session.query(withLargeString(`alter role current_user set application_name = %L`, mebibyte));
    const readStored = async (): Promise<{ uncommented: boolean; settings: string[] } | undefined> => {
      const { rows } = await admin.query<{ uncommented: boolean; settings: string[] }>(
        `select shobj_description(d.oid, 'pg_database') is null as uncommented, array(
            select split_part(setting, '=', 1) from pg_db_role_setting s, unnest(s.setconfig) setting
            where s.setdatabase = d.oid or s.setrole = $2::regrole order by 1
          ) as settings from pg_database d where datname = $1`,
        [id, credential.user],
      );
      return rows[0];
    };
    const unlimited = await makeGuard(Infinity);
    await unlimited.applyLimits();
    // The control: without a limit, all of it stays.
    const { uncommented, settings = [] } = (await readStored()) ?? {};
    expect(uncommented).toBe(false);
    expect(settings).toEqual(expect.arrayContaining(["application_name", "application_name", "role"]));

    await makeGuard(mebibyte);
    expect(await connectionLimitOf(admin, id)).toBe(0);
    const ownSettings = settings.filter((name) => name !== "application_name");
    await vi.waitFor(async () =>
      expect(await readStored()).toEqual({ uncommented: true, settings: ownSettings }),
    );
  });

  it("is closed for settings of its roles in other databases, which are removed, and its neighbor is not", async () => {
    const [attacker, neighbor] = [take(), tenants[0] ?? take()];
    const session = await cluster.connect(attacker.id, attacker.credential);
    const { rows: databases } = await admin.query<{ name: string }>(
      "select datname as name from pg_database where datname not in ($1)",
      [attacker.id],
    );
    // Each is small.
    for (const role of [attacker.id, "none"]) {
      await session.query(`set role ${role}`);
      for (const { name } of databases)
        await session.query(
          withLargeString(
            `alter role current_user in database "${name}" set application_name = %L`,
            7 * 1024,
          ),
        );
    }
    const countSettings = async (): Promise<number> => {
      const { rowCount } = await admin.query(
        "select from pg_db_role_setting where setdatabase <> 0 and setrole in ($1::regrole, $2::regrole)",
        [attacker.id, attacker.credential.user],
      );
      return rowCount ?? 0;
    };
    await (await makeGuard(Infinity)).applyLimits();
    // The control: without a limit, all of it stays.
    expect(await countSettings()).toBe(2 * databases.length);

    await makeGuard(64 * 1024);
    expect(await connectionLimitOf(admin, attacker.id)).toBe(0);
    expect(await connectionLimitOf(admin, neighbor.id)).toBe(100);
    await vi.waitFor(async () => expect(await countSettings()).toBe(0));
  });

  it.runIf(user === undefined)("is closed for a huge password, which is removed", async () => {
    const { id, credential } = take();
    // As a version before Postgres 18 lets it do itself.
    await admin.query("set allow_system_table_mods = on");
    await admin.query(
      `update pg_authid set rolpassword = 'SCRAM-SHA-256$4096:' || (select string_agg(md5(random()::text), '') from generate_series(1, 200))
        where rolname = $1`,
      [credential.user],
    );
    await makeGuard(4_096);
    expect(await connectionLimitOf(admin, id)).toBe(0);
    await vi.waitFor(async () => {
      const { rows } = await admin.query<{ rolpassword: string | null }>(
        "select rolpassword from pg_authid where rolname = $1",
        [credential.user],
      );
      expect(rows).toEqual([{ rolpassword: null }]);
    });
  });

  it.runIf(user === undefined)("leaves nothing in them when it is dropped", async () => {
    const { id, credential } = take();
    const session = await cluster.connect(id, credential);
    await session.query(withLargeString(`comment on database ${id} is %L`, 12 * mebibyte));
    await session.end();
    const filled = await sharedBytes();
    await admin.query(`drop database ${id} with (force)`);
    // The control: Postgres itself keeps the space.
    expect(await sharedBytes()).toBeGreaterThanOrEqual(filled);

    const guard = await makeGuard(Infinity);
    let now = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => now);
    await vi.waitFor(async () => {
      now += 60_000;
      await guard.applyLimits();
      expect(await sharedBytes()).toBeLessThan(filled - 11 * mebibyte);
    });
  });
});
