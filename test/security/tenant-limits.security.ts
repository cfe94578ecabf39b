import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { type Socket, connect } from "node:net";
import { dirname, join } from "node:path";
import type { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Resource, call, makeProject, query } from "../../packages/platform/test/api.js";
import { firstMessage } from "../../packages/platform/test/proxy/wire.js";
import { type DevProcess, startDev } from "./dev-process.js";
import { type PlainPostgres, startPlainPostgres } from "./plain-postgres.js";
import { sessionOpener } from "./sessions.js";

// Attacks on what all databases of a server share. The holder of a connection string connects to Postgres itself, because
// less stands in the way there.

let dev: DevProcess;
let plain: PlainPostgres;
const open = sessionOpener();
const sockets: Socket[] = [];

beforeAll(async () => {
  [dev, plain] = await Promise.all([startDev(), startPlainPostgres()]);
});
afterAll(async () => {
  await dev.stop();
  await plain.stop();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const tooManyConnections = { code: "53300" };
const outOfSharedMemory = { code: "53200" };
const statementTimeout = { code: "57014" };
const wrongPassword = { code: "28P01" };
const patient = { timeout: 120_000, interval: 50 };

/** Returns the connection string for Postgres itself instead of the proxy. */
const direct = ({ connectionString }: { connectionString: string }): string => {
  const address = new URL(connectionString);
  address.port = String(dev.ready.postgresPort);
  address.search = "";
  return address.href;
};

const nameOf = (connectionString: string): string => new URL(connectionString).pathname.slice(1);
const userOf = (connectionString: string): string => new URL(connectionString).username;

const withPassword = (connectionString: string, password: string): string => {
  const address = new URL(connectionString);
  address.password = password;
  return address.href;
};

/** Opens sessions until one is refused or there are `count`, and returns them with the error. */
const openMany = async (
  connectionString: string,
  count: number,
): Promise<{ sessions: Client[]; refused: unknown }> => {
  const results = await Promise.allSettled(Array.from({ length: count }, () => open(connectionString)));
  return {
    sessions: results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
    refused: results.find((result) => result.status === "rejected")?.reason,
  };
};

/** Returns the number of sessions that the platform has not ended. */
const countLiving = async (sessions: readonly Client[]): Promise<number> => {
  const results = await Promise.allSettled(sessions.map((session) => session.query("select")));
  return results.filter(({ status }) => status === "fulfilled").length;
};

const deleteProject = ({ id }: Resource): Promise<Resource> =>
  call(dev.ready, "DELETE", `/v1/projects/${id}`);

describe("a tenant that opens many connections", () => {
  it("gets at most 100 connections with one connection string", async () => {
    const attacker = await makeProject(dev.ready);
    const taken = await openMany(direct(attacker.database), 110);
    expect(taken.sessions.length).toBeLessThanOrEqual(100);
    // Postgres counts sessions that it is about to refuse.
    expect(taken.sessions.length).toBeGreaterThan(90);
    expect(taken.refused).toMatchObject(tooManyConnections);
    await makeProject(dev.ready);
    // The control: a role of Postgres has no limit.
    expect((await openMany(plain.tenants[0], 110)).sessions).toHaveLength(110);
    await deleteProject(attacker);
  });

  it("gets at most 100 connections with several connection strings, even after it lifts the limit of its database", async () => {
    const { database } = await makeProject(dev.ready);
    const second = await call(dev.ready, "POST", `/v1/databases/${database.id}/connections`, {
      name: "second",
    });
    const lift = `alter database "${nameOf(database.connectionString)}" connection limit -1`;
    await query(direct(database), lift);
    const taken = await Promise.all([openMany(direct(database), 70), openMany(direct(second), 70)]);
    // The control: its owner can change the limit of a database.
    await query(plain.tenants[0], "alter database first connection limit -1");
    await vi.waitFor(async () => {
      expect(await countLiving(taken.flatMap(({ sessions }) => sessions))).toBeLessThanOrEqual(100);
    }, patient);
  });

  it("does not use up the connections of another tenant by opening some in its name without a password", async () => {
    const { database } = await makeProject(dev.ready);
    const { port } = new URL(database.connectionString);
    const startup = firstMessage([["user", userOf(database.connectionString)]]);
    for (let count = 0; count < 150; count += 1) {
      const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
      sockets.push(socket);
      socket.write(startup);
    }
    // All of them have reached Postgres, which asks for the password.
    await Promise.all(sockets.map((socket) => once(socket, "data")));
    expect(await query(database.connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
    // The control: with the password, fewer keep others out.
    expect((await openMany(database.connectionString, 101)).refused).toMatchObject(tooManyConnections);
  });

  it("does not keep others out with connections that send nothing: the oldest are closed", async () => {
    const { database } = await makeProject(dev.ready);
    const { port } = new URL(database.connectionString);
    for (let count = 0; count < 450; count += 1) {
      sockets.push(connect(Number(port), "127.0.0.1").on("error", () => undefined));
    }
    const [first] = sockets;
    if (first !== undefined && !first.closed) await once(first.resume(), "close");
    expect(await query(database.connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
    // The control: the others still occupy a connection.
    expect(sockets.filter(({ closed }) => !closed).length).toBeGreaterThan(300);
  });
});

describe("a tenant that uses up a shared resource", () => {
  const takeLocks = `do $$ begin
    for key in 1..1000000 loop perform pg_advisory_lock(key); end loop;
  exception when out_of_memory then null; end $$`;
  const needLocks =
    "begin; create table many (id int primary key); create table more (id int references many); rollback";

  it("does not keep others from working by taking all locks", async () => {
    const [attacking, other] = [await makeProject(dev.ready), await makeProject(dev.ready)];
    const attacker = await open(direct(attacking.database));
    // Its own error, or the end of its session.
    await attacker.query(takeLocks).catch(() => undefined);
    // Its database is closed for a minute.
    await vi.waitFor(
      () => expect(query(direct(attacking.database), "select")).rejects.toMatchObject(tooManyConnections),
      patient,
    );
    await expect(attacker.query("select")).rejects.toThrow();
    await vi.waitFor(() => query(direct(other.database), needLocks), patient);
    await vi.waitFor(() => makeProject(dev.ready), patient);

    // The control: other databases of a server cannot work.
    const holder = await open(plain.tenants[0]);
    await holder.query(takeLocks);
    await expect(query(plain.tenants[1], needLocks)).rejects.toMatchObject(outOfSharedMemory);
  });

  it("does not delay the deletion of other databases by not reading its results", async () => {
    const [attacking, other] = [await makeProject(dev.ready), await makeProject(dev.ready)];
    const stopReading = async (connectionString: string): Promise<void> => {
      const session = await open(connectionString);
      void session.query("select repeat('x', 1000000) from generate_series(1, 1000)").catch(() => undefined);
      // The driver has no method for it.
      Reflect.get(Reflect.get(session, "connection"), "stream").pause();
      await vi.waitFor(async () => {
        // Only the login role itself can see what its sessions wait for.
        const own = `${connectionString}?options=-c%20role%3Dnone`;
        const stuck =
          "select from pg_stat_activity where usename = current_user and wait_event = 'ClientWrite'";
        expect(await query(own, stuck)).toHaveLength(1);
      }, patient);
    };
    await stopReading(direct(attacking.database));
    await deleteProject(other);

    // The control: Postgres waits as long as the session does not read.
    await stopReading(plain.tenants[0]);
    const admin = await open(plain.admin);
    // The session may still have had room to write when it was seen.
    await vi.waitFor(async () => {
      await admin.query("create database dropped template template0");
      await admin.query("set statement_timeout = '1s'");
      const dropped = admin
        .query("drop database dropped")
        .finally(() => admin.query("reset statement_timeout"));
      await expect(dropped).rejects.toMatchObject(statementTimeout);
    }, patient);
  });

  it("does not fill the log", async () => {
    const flood = "do $$ begin for i in 1..20 loop raise log '%', repeat('x', 1000000); end loop; end $$";
    const { database } = await makeProject(dev.ready);
    const log = join(dirname(dev.ready.controlSecretFile), "postgres.log");
    await query(direct(database), flood);
    // Its owner cannot remove the limit.
    const session = await open(direct(database));
    await session.query("set role none");
    await session.query("alter role current_user reset all");
    await query(direct(database), flood);
    // Postgres does not wait until its messages are in the log. This one comes after them.
    await expect(query(withPassword(direct(database), "last"), "select")).rejects.toMatchObject(
      wrongPassword,
    );
    const refused = `authentication failed for user "${userOf(database.connectionString)}"`;
    await vi.waitFor(async () => expect(await readFile(log, "utf8")).toContain(refused), patient);
    expect((await stat(log)).size).toBeLessThan(1_000_000);
    // The control: the messages are in the log of a server.
    await query(plain.tenants[1], flood);
    await vi.waitFor(async () => {
      expect((await stat(plain.logFile)).size).toBeGreaterThan(20_000_000);
    }, patient);
  });

  // The tests of the guard fill them with comments, and store each kind.
  it("does not fill catalogs that all databases share with settings of its role", async () => {
    const fill = (count: number): string => `do $do$ declare large text; begin
      select string_agg(md5(random()::text), '') into large from generate_series(1, 65536);
      for number in 1..${String(count)} loop
        execute format('alter role current_user set application_name = %L', large);
      end loop;
    end $do$`;
    const readBytes = async (connectionString: string): Promise<number> => {
      const sizes =
        "select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relisshared";
      const [row] = await query(connectionString, sizes);
      return Number(row && Reflect.get(row, "bytes"));
    };
    const mebibytes = (count: number): number => count * 1024 ** 2;
    const [attacking, other] = [await makeProject(dev.ready), await makeProject(dev.ready)];
    const victim = await open(direct(other.database));
    const attacker = await open(direct(attacking.database));
    await expect(attacker.query(fill(1_000_000))).rejects.toThrow();
    await expect(query(direct(attacking.database), "select")).rejects.toMatchObject(tooManyConnections);
    await victim.query("select");
    await deleteProject(attacking);
    // The deletion leaves no space behind.
    await vi.waitFor(
      async () => expect(await readBytes(direct(other.database))).toBeLessThan(mebibytes(8)),
      patient,
    );

    // The control: without the platform, nothing stops it.
    const before = await readBytes(plain.admin);
    await query(plain.tenants[0], fill(40));
    expect(await readBytes(plain.admin)).toBeGreaterThan(before + mebibytes(64));
  });

  it("does not fill the notification queue by listening without reading", async () => {
    const notify = "select pg_notify('channel', repeat('x', 7900) || i) from generate_series(1, 3000) i";
    const usage = "select pg_notification_queue_usage() >= 0.25 as full";
    const listen = async (connectionString: string): Promise<Client> => {
      const listener = await open(connectionString);
      await listener.query("listen channel");
      await listener.query("begin; select");
      return listener;
    };
    const [attacking, other] = [await makeProject(dev.ready), await makeProject(dev.ready)];
    const listener = await listen(direct(attacking.database));
    await query(direct(attacking.database), notify);
    await vi.waitFor(async () => {
      // A notification makes Postgres clean up the queue.
      await query(direct(other.database), "notify another");
      expect(await query(direct(other.database), usage)).toEqual([{ full: false }]);
    }, patient);
    await expect(listener.query("select")).rejects.toThrow();

    // The control: the queue of a server stays full.
    await listen(plain.tenants[1]);
    await query(plain.tenants[1], notify);
    expect(await query(plain.tenants[1], usage)).toEqual([{ full: true }]);
  });
});

it("ends a rotated connection string even if its holder changes the password at the same time", async () => {
  const { database } = await makeProject(dev.ready);
  const old = direct(database);
  const user = userOf(old);
  let isOver = false;
  const change = async (session: Client): Promise<void> => {
    await session.query("set role none").catch(() => undefined);
    while (!isOver) {
      try {
        await session.query(`alter role ${user} password 'kept'`);
      } catch (error) {
        // Changes at the same time fail, and those after the session has ended.
        if (!(error instanceof Error && "code" in error && error.code === "XX000")) return;
      }
    }
  };
  const sessions = await Promise.all(Array.from({ length: 10 }, () => open(old)));
  const changes = sessions.map(change);
  const [first] = database.connections;
  const rotated = await call(dev.ready, "POST", `/v1/connections/${first?.id ?? ""}/rotate`);
  isOver = true;
  await Promise.all(changes);
  await expect(query(withPassword(old, "kept"), "select")).rejects.toMatchObject(wrongPassword);
  await expect(query(old, "select")).rejects.toMatchObject(wrongPassword);
  await query(direct(rotated), "select");

  // The control: a session that is open sets the password again after the superuser has changed it.
  await query(plain.admin, "create role rotated login password 'old'");
  const address = new URL(plain.tenants[1]);
  address.username = "rotated";
  const session = await open(withPassword(address.href, "old"));
  await query(plain.admin, "alter role rotated password 'new'");
  await session.query("alter role rotated password 'kept'");
  await query(withPassword(address.href, "kept"), "select");
});
