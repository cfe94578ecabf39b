import type { DatabaseCredential } from "@mgmt/engine";
import type { Client } from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { Cluster, newTenant, secondCredential } from "../../../platform/test/cluster.js";
import { gone } from "../../test/sessions.js";

const cluster = new Cluster();
const mine = newTenant();
const second = secondCredential(mine.credential);
const other = newTenant();
let observer: Client;
let owner: Client;

beforeAll(async () => {
  observer = await cluster.connectAsAdmin("postgres");
  await cluster.databases.create(mine.id, { type: "empty" }, [mine.credential, second]);
  await cluster.databases.create(other.id, { type: "empty" }, [other.credential]);
  owner = await cluster.connect(mine.id, mine.credential);
});

interface Session {
  pid: number;
  usename: string;
  query: string;
}

const sessionsOf = async (client: Client): Promise<Session[]> => {
  const { rows } = await client.query<Session>(
    "select pid, usename, query from mgmt_sessions() order by pid",
  );
  return rows;
};

const pidOf = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
};

const end = async (client: Client, pid: number | null): Promise<boolean | null | undefined> => {
  const { rows } = await client.query<{ ended: boolean | null }>("select mgmt_end_session($1) as ended", [
    pid,
  ]);
  return rows[0]?.ended;
};

const makeOwner = async (id: string, credential: DatabaseCredential) => {
  const client = await cluster.connect(id, credential);
  return { client, pid: await pidOf(client) };
};

describe("the owner of a database", () => {
  it("sees its own session, which pg_stat_activity hides, and those of its other connections", async () => {
    const neighbor = await makeOwner(mine.id, second);
    await neighbor.client.query("select 'of the second connection'");
    const { rows } = await owner.query("select query from pg_stat_activity where pid = pg_backend_pid()");
    expect(rows).toEqual([{ query: "<insufficient privilege>" }]);
    const sessions = await sessionsOf(owner);
    expect(sessions.map(({ usename }) => usename)).toEqual(
      expect.arrayContaining([mine.credential.user, second.user]),
    );
    expect(sessions.find(({ pid }) => pid === neighbor.pid)?.query).toBe("select 'of the second connection'");
    await neighbor.client.end();
  });

  it("ends a session of another connection", async () => {
    const neighbor = await makeOwner(mine.id, second);
    const failed = expect(neighbor.client.query("select pg_sleep(600)")).rejects.toMatchObject({
      code: "57P01",
    });
    expect(await end(owner, neighbor.pid)).toBe(true);
    await failed;
    await gone(observer, [neighbor.pid]);
  });

  it("learns that a session has not ended, and that it ends as soon as it can", async () => {
    const neighbor = await makeOwner(mine.id, second);
    process.kill(neighbor.pid, "SIGSTOP");
    try {
      expect(await end(owner, neighbor.pid)).toBe(false);
    } finally {
      process.kill(neighbor.pid, "SIGCONT");
    }
    await gone(observer, [neighbor.pid]);
  });

  it.each(["a copy", "a restored database"])("does both in %s", async (kind) => {
    const backupId = kind === "a copy" ? "bkp_sessions" : "bkp_other_sessions";
    await cluster.databases.backup(other.id, backupId);
    const source = { type: "backup", databaseId: other.id, backupId } as const;
    const target = newTenant();
    if (kind === "a copy") await cluster.databases.create(target.id, source, [target.credential]);
    else await cluster.databases.restore(other.id, backupId);
    const { id, credential } = kind === "a copy" ? target : other;
    const [client, neighbor] = [await makeOwner(id, credential), await makeOwner(id, credential)];
    expect((await sessionsOf(client.client)).map(({ pid }) => pid)).toContain(neighbor.pid);
    expect(await end(client.client, neighbor.pid)).toBe(true);
    await gone(observer, [neighbor.pid]);
  });

  it("sees and ends nothing of the platform and of other databases", async () => {
    const foreign = await makeOwner(other.id, other.credential);
    const admin = await cluster.connectAsAdmin(mine.id);
    const pids = [foreign.pid, await pidOf(admin), await pidOf(observer)];
    const seen = (await sessionsOf(owner)).map(({ pid }) => pid);
    for (const pid of pids) {
      expect(seen).not.toContain(pid);
      expect(await end(owner, pid)).toBe(false);
    }
    for (const client of [foreign.client, admin, observer]) await client.query("select");
    await admin.end();
  });

  it.each([
    ["null", null],
    ["no process", 0],
    ["a group of processes", -1],
    ["the greatest number", 2_147_483_647],
  ])("ends nothing for %s", async (_case, pid) => {
    expect(await end(owner, pid)).toBe(pid === null ? null : false);
    await observer.query("select");
  });

  it("ends no process that it knew earlier in its transaction, because another session may have its number", async () => {
    const neighbor = await makeOwner(mine.id, second);
    await owner.query("begin");
    expect((await sessionsOf(owner)).map(({ pid }) => pid)).toContain(neighbor.pid);
    await neighbor.client.end();
    await gone(observer, [neighbor.pid]);
    expect((await sessionsOf(owner)).map(({ pid }) => pid)).toContain(neighbor.pid);
    expect(await end(owner, neighbor.pid)).toBe(false);
    // It has read the sessions again.
    expect((await sessionsOf(owner)).map(({ pid }) => pid)).not.toContain(neighbor.pid);
    await owner.query("commit");
  });

  it.each([
    "create or replace function pg_catalog.mgmt_end_session(pid integer) returns boolean language sql as 'select true'",
    "create function pg_catalog.mgmt_sessions(text) returns text language sql as 'select $1'",
    "alter function mgmt_sessions() reset search_path",
    `alter function mgmt_sessions() owner to ${mine.id}`,
    "alter function mgmt_end_session(integer) set schema public",
    "drop function mgmt_end_session(integer)",
    `grant execute on function mgmt_sessions() to ${other.id}`,
    "revoke execute on function mgmt_sessions() from public",
  ])("is refused: %s", async (statement) => {
    // Postgres only warns that a privilege was not granted or not revoked.
    await owner.query(statement).catch((error: unknown) => expect(error).toMatchObject({ code: "42501" }));

    const { rows: functions } = await owner.query(
      "select proname, proowner::regrole::text as owner, coalesce(proacl, acldefault('f', proowner))::text as privileges, proconfig from pg_proc where proname ~ '^mgmt_' order by 1",
    );
    expect(functions).toEqual(
      ["mgmt_check_languages", "mgmt_end_session", "mgmt_sessions"].map((proname) => ({
        proname,
        owner: "postgres",
        privileges: "{=X/postgres,postgres=X/postgres}",
        proconfig: ["search_path=pg_catalog, pg_temp"],
      })),
    );
  });

  it("gains nothing by objects that have the names of what the functions use", async () => {
    await owner.query(`
      create schema trap;
      create function trap.gain() returns boolean language plpgsql as
        $$ begin alter role ${mine.id} superuser; return true; end $$;
      create view trap.pg_stat_activity as select a.* from pg_catalog.pg_stat_activity a where trap.gain();
      create temp view pg_stat_activity as select a.* from pg_catalog.pg_stat_activity a where trap.gain();
      create temp table pg_database as select * from pg_catalog.pg_database;
      update pg_temp.pg_database set datname = current_database();
      create function trap.current_database() returns name language sql as $$ select '${other.id}'::name $$;
      create function trap.pg_has_role(name, oid, text) returns boolean language sql as 'select trap.gain()';
      create function trap.same(name, name) returns boolean language sql as 'select trap.gain()';
      create operator trap.= (leftarg = name, rightarg = name, function = trap.same);
      create function trap.mgmt_sessions() returns setof pg_catalog.pg_stat_activity language sql as
        'select a.* from pg_catalog.pg_stat_activity a';
      set search_path = trap, pg_temp, pg_catalog;
    `);
    const foreign = await makeOwner(other.id, other.credential);
    const { rows } = await owner.query<{ datname: string }>(
      "select datname from pg_catalog.mgmt_sessions() group by 1",
    );
    expect(rows).toEqual([{ datname: mine.id }]);
    const { rows: ended } = await owner.query<{ ended: boolean }>(
      "select pg_catalog.mgmt_end_session($1) as ended",
      [foreign.pid],
    );
    expect(ended).toEqual([{ ended: false }]);
    await foreign.client.query("select");
    const { rows: superusers } = await observer.query("select rolname from pg_roles where rolsuper");
    expect(superusers).toEqual([{ rolname: "postgres" }]);
    await owner.query("reset search_path; drop schema trap cascade; discard temp");
  });
});

describe("a guest from another database", () => {
  it("sees and ends nothing, also through functions and views of the owner", async () => {
    await owner.query(`
      grant connect on database ${mine.id} to ${other.id};
      create view public.lent as select pid from mgmt_sessions();
      grant select on public.lent to ${other.id};
      create function public.lent_end(pid integer) returns boolean language sql security definer as
        'select mgmt_end_session($1)'`);
    const { host, port } = cluster.databases.getEndpoints(mine.id).direct;
    const { user, pass } = other.credential;
    const guest = await cluster.connectTo(
      `postgres://${user}:${pass}@${host}:${String(port)}/${mine.id}?sslmode=disable`,
    );
    expect((await guest.query("select from mgmt_sessions()")).rowCount).toBe(0);
    expect((await guest.query("select from public.lent")).rowCount).toBe(0);
    const pid = await pidOf(owner);
    expect(await end(guest, pid)).toBe(false);
    const { rows } = await guest.query("select public.lent_end($1) as ended", [pid]);
    expect(rows).toEqual([{ ended: false }]);
    // The owner sees the guest.
    expect((await sessionsOf(owner)).map(({ usename }) => usename)).toContain(user);
    expect(await end(owner, await pidOf(guest))).toBe(true);
    await owner.query(`revoke connect on database ${mine.id} from ${other.id}`);
  });
});
