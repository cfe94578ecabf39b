import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { type OpenDatabases, openDatabases } from "@mgmt/cluster/open-databases";
import type { ApiDatabase } from "@mgmt/cluster/repair/reconcile";
import { interrupt } from "../../packages/cluster/test/interrupted-work.js";
import { Cluster, adminPassword, newTenant } from "../../packages/platform/test/cluster.js";
import { installation, platformRole, staging } from "../../packages/platform/test/installation.js";

// Databases and roles of others, with names that the installation uses too. Nothing but the owner and the mark of its roles tells them apart.

const databases = [
  "accounts",
  "db_byhand",
  "mgmt.accounts",
  `${installation.preparedNamePrefix}x`,
  staging("db_byhand"),
  // As if it had been kept long enough.
  `${installation.retainedNamePrefix}20200101.db_byhand`,
];
const roles = ["auditor", "clerk", "db_byhand", "mgmt.00000000000000c3", `mgmt.${installation.keys.id}x`];
const invalidDatabase = "mgmt.accounts";

const clusters = [
  ["that the platform manages without a superuser", new Cluster({}, { user: "renter" })],
  ["that the platform manages as the superuser", new Cluster()],
] as const;

const withSession = async <T>(
  cluster: Cluster,
  database: string,
  work: (session: Client) => Promise<T>,
): Promise<T> => {
  const { port } = cluster.options;
  const session = new Client({
    host: "127.0.0.1",
    port,
    user: "postgres",
    password: adminPassword,
    database,
  });
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
};

const quote = (name: string): string => `"${name}"`;

const makeForeign = async (cluster: Cluster): Promise<void> => {
  await withSession(cluster, "postgres", async (session) => {
    const [auditor, clerk, byHand, likePlatform, likeInstallation] = roles.map(quote);
    await session.query(`
      create role ${String(auditor)} login password 'audit'; create role ${String(byHand)};
      create role ${String(clerk)} login in role ${String(byHand)};
      create role ${String(likePlatform)}; create role ${String(likeInstallation)} connection limit 7;
      comment on role ${String(byHand)} is '${installation.roleComment}x'; comment on role ${String(auditor)} is 'mgmt';
      alter role ${String(clerk)} set work_mem = '6MB'`);
    for (const [index, name] of databases.entries())
      await session.query(
        `create database ${quote(name)} template template0 owner ${quote(roles[index] ?? "postgres")}`,
      );
    await session.query(
      "alter database accounts set work_mem = '5MB'; comment on database accounts is 'ours'",
    );
  });
  for (const name of databases)
    await withSession(cluster, name, (session) =>
      session.query("create table ledger as select generate_series(1, 100) as entry"),
    );
  await withSession(cluster, "postgres", (session) =>
    session.query("update pg_database set datconnlimit = -2 where datname = $1", [invalidDatabase]),
  );
};

/** Returns all that the catalogs which databases share have about what others made. */
const sharedRowsQuery = `
  with d as (select * from pg_database where datname = any ($1)), r as (select * from pg_authid where rolname = any ($2))
  select 'database ' || (to_jsonb(d) - 'datfrozenxid' - 'datminmxid')::text as row from d
  union all select 'role ' || to_jsonb(r)::text from r
  union all select 'member ' || to_jsonb(m)::text from pg_auth_members m
    where m.roleid in (select oid from r) or m.member in (select oid from r)
  union all select 'setting ' || to_jsonb(s)::text from pg_db_role_setting s
    where s.setdatabase in (select oid from d) or s.setrole in (select oid from r)
  union all select 'comment ' || to_jsonb(c)::text from pg_shdescription c
    where c.objoid in (select oid from d union all select oid from r)
  union all select 'dependency ' || to_jsonb(s)::text from pg_shdepend s
    where s.dbid in (select oid from d) or s.objid in (select oid from d) or s.refobjid in (select oid from r)
  order by 1`;

/** Returns a hash of the catalog of relations, without what a vacuum changes, and of the rows of others. */
const contentQuery = `
  select md5(string_agg((to_jsonb(c) - array['relfrozenxid', 'relminmxid', 'relpages', 'reltuples', 'relallvisible', 'relallfrozen'])::text, ',' order by oid))
    as relations, (select md5(string_agg(entry::text, ',' order by entry)) from public.ledger) as ledger
  from pg_class c`;

const readForeign = async (cluster: Cluster): Promise<unknown[]> => {
  const { rows } = await withSession(cluster, "postgres", (session) =>
    session.query<{ row: string }>(sharedRowsQuery, [databases, roles]),
  );
  const contents: unknown[] = [];
  for (const name of databases.filter((database) => database !== invalidDatabase))
    contents.push([
      name,
      await withSession(cluster, name, async (session) => (await session.query(contentQuery)).rows),
    ]);
  return [...rows.map(({ row }) => row), ...contents];
};

const countOf = (state: readonly unknown[], kind: string): number =>
  state.filter((row) => typeof row === "string" && row.startsWith(kind)).length;

describe.each(clusters)("foreign databases and roles on a cluster %s", (_case, cluster) => {
  it("stay byte for byte what they are, whatever the installation does", async () => {
    await cluster.closeDatabases();
    await makeForeign(cluster);
    const before = await readForeign(cluster);
    expect([countOf(before, "database "), countOf(before, "role ")]).toEqual([6, 5]);
    const compareAfter = async (step: string): Promise<void> =>
      expect([step, await readForeign(cluster)]).toEqual([step, before]);

    let opened: OpenDatabases | undefined;
    // Whatever the records say was removed: also the names of others.
    const reopen = async (recorded: readonly ApiDatabase[]): Promise<OpenDatabases> => {
      await opened?.close();
      opened = await openDatabases(cluster.policy, recorded, cluster.discardingAll);
      expect(opened.problems.join()).not.toMatch(/could not|not in the records/);
      return opened;
    };
    try {
      const { engine } = await reopen([]);
      await compareAfter("start");
      const [tenant, clone] = [newTenant(), newTenant()];
      await engine.create(tenant.id, { type: "empty" }, [tenant.credential]);
      await engine.backup(tenant.id, "bkp_own");
      await compareAfter("create");
      await engine.restore(tenant.id, "bkp_own");
      await engine.create(clone.id, { type: "database", databaseId: tenant.id }, [clone.credential]);
      await engine.grant(tenant.id, { ...tenant.credential, pass: "next" });
      await compareAfter("restore");
      await engine.drop(clone.id);
      await compareAfter("delete");

      await withSession(cluster, "postgres", (session) =>
        session.query(
          `create database ${quote(staging(tenant.id))} owner ${quote(platformRole)} template template0`,
        ),
      );
      const rotate = () => engine.grant(tenant.id, { ...tenant.credential, pass: "last" });
      await expect(interrupt(cluster, rotate)).resolves.toBeInstanceOf(Error);
      await expect
        .poll(() => cluster.namesIn("datname", staging(tenant.id)), { timeout: 20_000 })
        .toEqual([]);
      await compareAfter("repair");
      await opened?.close();
      opened = undefined;
      cluster.server.kill();
      await cluster.server.stop();
      await cluster.startServer();
      await reopen([{ databaseId: tenant.id, credentials: [tenant.credential], backupIds: ["bkp_own"] }]);
      await compareAfter("crash");
      await reopen([]);
      expect(await cluster.namesIn("datname", tenant.id)).toEqual([]);
      await compareAfter("drop of everything");

      // The control: what belongs to the role of the installation is dropped, whatever its name.
      await withSession(cluster, "postgres", (session) =>
        session.query(`alter database ${quote(staging("db_byhand"))} owner to ${quote(platformRole)}`),
      );
      await reopen([]);
      expect(await cluster.namesIn("datname", "db_byhand")).not.toContain(staging("db_byhand"));
    } finally {
      await opened?.close();
    }
  });
});
