import type { DatabaseCredential } from "@mgmt/engine";
import type { Client } from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { Cluster, newTenant } from "../../platform/test/cluster.js";

const cluster = new Cluster();
const mine = newTenant();
const other = newTenant();
let client: Client;

/** Returns the SQLSTATE of a refused statement; undefined when it succeeds. */
const rejection = async (statement: string): Promise<string | undefined> => {
  try {
    await client.query(statement);
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
};

const connectElsewhere = async (database: string, credential: DatabaseCredential): Promise<string> => {
  const { host, port } = cluster.databases.getEndpoints(mine.id).direct;
  const { user, pass } = credential;
  try {
    await cluster.connectTo(`postgres://${user}:${pass}@${host}:${String(port)}/${database}`);
    return "connected";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
};

beforeAll(async () => {
  for (const { id, credential } of [mine, other]) {
    await cluster.databases.create(id, { type: "empty" }, [credential]);
  }
  client = await cluster.connect(mine.id, mine.credential);
});

const permissionDenied = "42501";
const noSuchDatabase = "3D000";
const notAcceptingConnections = "55000";

describe("a tenant", () => {
  it.each([
    [other.id, permissionDenied],
    ["postgres", permissionDenied],
    ["template0", notAcceptingConnections],
    ["template1", cluster.isShared ? permissionDenied : noSuchDatabase],
  ])("cannot connect to %s", async (database, code) => {
    expect(await connectElsewhere(database, mine.credential)).toBe(code);
  });

  it("cannot connect to another tenant's database, however it was created", async () => {
    await cluster.databases.backup(other.id, "bkp_isolated");
    const clone = newTenant();
    const source = { type: "backup", databaseId: other.id, backupId: "bkp_isolated" } as const;
    await cluster.databases.create(clone.id, source, [clone.credential]);
    await cluster.databases.restore(other.id, "bkp_isolated");
    for (const { id } of [clone, other])
      expect(await connectElsewhere(id, mine.credential)).toBe(permissionDenied);

    const { rows } = await client.query(
      // Also those that do not allow connections at the moment: backups, and copies in progress.
      "select datname from pg_database where datname <> 'template0' and has_database_privilege(datname, 'connect')",
    );
    expect(rows).toEqual([{ datname: mine.id }]);
  });

  it.each([
    ["create database more", permissionDenied],
    ["create role more", permissionDenied],
    [`alter role ${mine.credential.user} superuser`, permissionDenied],
    [`alter role ${mine.credential.user} createdb`, permissionDenied],
    [`alter role ${other.credential.user} password 'stolen'`, permissionDenied],
    [`grant ${other.id} to ${mine.credential.user}`, permissionDenied],
    [`grant ${mine.id} to ${other.credential.user}`, permissionDenied],
    [`set role ${other.id}`, permissionDenied],
    ["set role postgres", permissionDenied],
    [`alter database ${other.id} rename to taken`, permissionDenied],
    [`drop database ${other.id}`, permissionDenied],
    ["select rolpassword from pg_authid", permissionDenied],
    ["select passwd from pg_shadow", permissionDenied],
    ["select pg_read_file('PG_VERSION')", permissionDenied],
    ["select pg_ls_dir('.')", permissionDenied],
    ["select lo_import('/etc/passwd')", permissionDenied],
    ["copy (select 1) to program 'id'", permissionDenied],
    ["copy (select 1) to '/tmp/out'", permissionDenied],
    ["create extension dblink", permissionDenied],
    ["create extension file_fdw", permissionDenied],
    ["alter system set work_mem = '1MB'", permissionDenied],
    ["select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postgres'", permissionDenied],
    ["show data_directory", permissionDenied],
    ["create event trigger t on ddl_command_end execute function now()", permissionDenied],
  ])("is refused: %s", async (statement, code) => {
    const admin = await cluster.connectAsAdmin("postgres");
    expect(await rejection(statement)).toBe(code);
    await admin.end();
  });

  it("cannot see the statements of another tenant", async () => {
    const busy = await cluster.connect(other.id, other.credential);
    await busy.query("select 'a secret of the other tenant'");
    const { rows } = await client.query<{ query: string }>("select query from pg_stat_activity");
    expect(rows.map(({ query }) => query).join(" ")).not.toContain("a secret of the other tenant");
  });

  it("cannot run its functions with the rights of the platform", async () => {
    // Shadow a function that a statement of the superuser calls, in a schema that comes first in the search path.
    await client.query(`
      create schema trap;
      create function trap.count(anyelement) returns bigint language plpgsql as
        $$ begin alter role ${mine.id} superuser; return 0; end $$;
      create table trap.owned (id int);
      set role none;
      create table trap_owned (id int);
      reset role;
      alter database ${mine.id} set search_path = trap, pg_catalog;
      alter database ${mine.id} set role = ${mine.id};
      alter database ${mine.id} set default_transaction_read_only = on;
    `);
    const guest: DatabaseCredential = { connectionId: "con_guest", user: "role_guest", pass: "guest" };
    await cluster.databases.grant(mine.id, guest);
    const session = await cluster.connect(mine.id, guest);
    await session.query("set transaction_read_only = off; set role none; create table trap.guests (id int)");
    await cluster.databases.revoke(mine.id, guest.connectionId);
    await cluster.databases.backup(mine.id, "bkp_trap");
    await cluster.databases.restore(mine.id, "bkp_trap");
    const { rows } = await (
      await cluster.connectAsAdmin("postgres")
    ).query("select rolname from pg_roles where rolsuper");
    expect(rows).toEqual([{ rolname: "postgres" }]);
  });
});
