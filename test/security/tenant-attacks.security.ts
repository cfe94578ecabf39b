import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, control, finalStatus, makeProject, query } from "../../packages/platform/test/api.js";
import { platformRole as plainPlatformRole } from "../../packages/platform/test/installation.js";
import { type DevProcess, startDev } from "./dev-process.js";
import { type PlainPostgres, startPlainPostgres } from "./plain-postgres.js";
import { sessionOpener } from "./sessions.js";
import { rejectedAttacks, trapAttacks } from "./tenant-attacks.js";

let dev: DevProcess;
let plain: PlainPostgres;
let victim: { connectionString: string };
/** The role that owns what belongs to no tenant. */
let platformRole: string;
const open = sessionOpener();

beforeAll(async () => {
  [dev, plain] = await Promise.all([startDev(), startPlainPostgres()]);
  victim = (await makeProject(dev.ready)).database;
  const session = await open(victim.connectionString);
  const { rows } = await session.query<{ name: string }>(
    "select rolname as name from pg_roles where rolname like 'mgmt.%'",
  );
  platformRole = rows[0]?.name ?? "";
});
afterAll(async () => {
  await dev.stop();
  await plain.stop();
});

const nameOf = (connectionString: string): string => new URL(connectionString).pathname.slice(1);
const userOf = (connectionString: string): string => new URL(connectionString).username;

/** Returns a function that fills in the names of the attacker and of the other tenant. */
const fillIn =
  (attacker: string, other: string, platform = plainPlatformRole) =>
  (statement: string): string =>
    statement
      .replaceAll("mgmt.platform", platform)
      .replaceAll("{database}", nameOf(attacker))
      .replaceAll("{user}", userOf(attacker))
      .replaceAll("{victim}", nameOf(other))
      .replaceAll("{victimUser}", userOf(other));

/** Returns what no tenant may change: the roles with more than usual privileges, all memberships, and the owners of databases. */
const readSharedState = async (session: Client, except: readonly string[]): Promise<object[]> => {
  const { rows } = await session.query<object>(
    `select 'role' as kind, rolname::text as name, '' as other from pg_roles
        where (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls) and not starts_with(rolname, 'pg_')
      union all select 'member', member::regrole::text, roleid::regrole::text from pg_auth_members
        where member::regrole::text <> all ($1) and roleid::regrole::text <> all ($1)
      union all select 'database', datname, datdba::regrole::text from pg_database
        where split_part(datname, '.', 1) <> all ($1) and split_part(datname, '.', 3) <> all ($1)
          and not starts_with(datname, 'spare.')
      order by 1, 2, 3`,
    [except],
  );
  return rows;
};

describe("a tenant is refused when it", () => {
  it.each(rejectedAttacks.map((attack) => [attack.title, attack] as const))(
    "%s",
    async (_, { steps, code, control: controlSteps = steps }) => {
      const { id, database } = await makeProject(dev.ready);
      const observer = await open(victim.connectionString);
      const own = [nameOf(database.connectionString), userOf(database.connectionString)];
      const before = await readSharedState(observer, own);
      const attacker = await open(database.connectionString);
      const fill = fillIn(database.connectionString, victim.connectionString, platformRole);
      const [last = "", ...others] = steps.map(fill).toReversed();
      for (const step of others.toReversed()) await attacker.query(step);
      await expect(attacker.query(last)).rejects.toMatchObject({ code });
      expect(await readSharedState(observer, own)).toEqual(before);
      await call(dev.ready, "DELETE", `/v1/projects/${id}`);

      // The control: a superuser may do all of it.
      const superuser = await open(plain.admin.replace(/postgres$/, "first"));
      const fillPlain = fillIn(plain.tenants[0], plain.tenants[1]);
      const isTransactional = controlSteps === steps;
      if (isTransactional) await superuser.query("begin");
      for (const step of controlSteps) await superuser.query(fillPlain(step));
      if (isTransactional) await superuser.query("rollback");
    },
  );
});

/** What each trap calls. */
const recorder = [
  "create table public.caught (who text)",
  "create function public.record() returns void language sql as 'insert into public.caught values (session_user)'",
];
const caught = "select distinct who from public.caught";

describe("the platform does not spring the trap of a tenant that", () => {
  it.each(trapAttacks.map((attack) => [attack.title, attack] as const))(
    "%s",
    async (_, { steps, control: springs }) => {
      const { id, database } = await makeProject(dev.ready);
      const { connectionString } = database;
      const second = await call(dev.ready, "POST", `/v1/databases/${database.id}/connections`, {
        name: "second",
      });
      const observer = await open(victim.connectionString);
      const own = [nameOf(connectionString), userOf(connectionString), userOf(second.connectionString)];
      const before = await readSharedState(observer, own);
      const attacker = await open(connectionString);
      const fill = fillIn(connectionString, victim.connectionString, platformRole);
      for (const step of recorder) await attacker.query(step);
      // The second login has something that its removal gives to the owner.
      await attacker.query(`grant create on schema public to "${userOf(second.connectionString)}"`);
      await query(second.connectionString, "set role none; create table public.of_second ()");
      for (const step of steps) await attacker.query(fill(step));
      await attacker.query("delete from public.caught");

      await call(dev.ready, "POST", `/v1/connections/${database.connections[0]?.id ?? ""}/rotate`);
      const backup = await control(dev.ready, "POST", `/databases/${database.id}/backups`);
      const copy = await call(dev.ready, "POST", `/v1/projects/${id}/databases`, {
        source: { type: "database", databaseId: database.id },
      });
      own.push(nameOf(copy.connectionString), userOf(copy.connectionString));
      expect(await finalStatus(dev.ready, copy.id)).toBe("ready");
      await call(dev.ready, "GET", `/v1/databases/${copy.id}/usage`);
      await call(dev.ready, "POST", `/v1/databases/${copy.id}/restore`, {
        source: { type: "backup", databaseId: database.id, backupId: backup.id },
      });
      expect(await finalStatus(dev.ready, copy.id)).toBe("ready");
      for (const tenant of [second, copy])
        expect((await query(tenant.connectionString, caught)).filter(isPlatform)).toEqual([]);
      await call(dev.ready, "DELETE", `/v1/connections/${second.id}`);
      const another = await call(dev.ready, "POST", `/v1/databases/${database.id}/connections`, {
        name: "another",
      });
      expect((await query(another.connectionString, caught)).filter(isPlatform)).toEqual([]);
      own.push(userOf(another.connectionString));
      expect(await readSharedState(observer, own)).toEqual(before);
      await call(dev.ready, "DELETE", `/v1/databases/${copy.id}`);
      await call(dev.ready, "DELETE", `/v1/projects/${id}`);

      // The control: what a superuser does springs it.
      await query(plain.admin, "drop database if exists trap");
      await query(plain.admin, "create database trap template template0");
      const superuser = await open(plain.admin.replace(/postgres$/, "trap"));
      const fillPlain = fillIn(plain.admin.replace(/postgres$/, "trap"), plain.tenants[1]);
      for (const step of [...recorder, ...steps]) await superuser.query(fillPlain(step));
      await superuser.query("delete from public.caught");
      for (const spring of springs) await superuser.query(spring);
      expect((await superuser.query(caught)).rows).toEqual([{ who: "postgres" }]);
      await superuser.end();
    },
  );
});

/** Returns whether a row says that the platform has called a function. */
const isPlatform = (row: object): boolean => Reflect.get(row, "who") === "postgres";
