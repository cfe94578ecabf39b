import { DatabaseUnavailableError } from "@mgmt/engine";
import { Client, type ClientConfig } from "pg";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Presence } from "./presence.js";
import { PostgresSessions } from "../rows/postgres-sessions.js";
import { installation } from "../../../platform/test/installation.js";
import { Cluster, adminPassword } from "../../../platform/test/cluster.js";

const cluster = new Cluster();

/** Returns how to connect to the database of the processes. The platform of the cluster is in another one. */
const addressOf = async (): Promise<ClientConfig> => {
  const admin = await cluster.connectAsAdmin("postgres");
  const databases = await admin.query("select from pg_database where datname = 'presence'");
  if (databases.rowCount === 0) await admin.query("create database presence template template0");
  return {
    ...{ host: "127.0.0.1", port: cluster.server.port, user: "postgres", password: adminPassword },
    ...{ database: "presence", application_name: "presence" },
  };
};

/** Opens the presence of a process. */
const open = async (): Promise<Presence> => {
  const presence = new Presence(await addressOf(), installation);
  onTestFinished(() => presence.close());
  return presence;
};

/** Opens the sessions of the work of another process. */
const openSessions = async (): Promise<PostgresSessions> => {
  const sessions = new PostgresSessions(await addressOf(), installation);
  onTestFinished(() => sessions.close());
  return sessions;
};

/** Waits until Postgres has ended all sessions but this number: it does so after their connections. */
const untilSessions = async (count: number): Promise<number[]> => {
  const admin = await cluster.connectAsAdmin("postgres");
  return vi.waitFor(
    async () => {
      const find = "select pid from pg_stat_activity where application_name = 'presence'";
      const { rows } = await admin.query<{ pid: number }>(find);
      expect(rows).toHaveLength(count);
      return rows.map(({ pid }) => pid);
    },
    { interval: 20 },
  );
};

/** Waits until another session than this one holds the locks of a process. */
const untilSharedAgain = async (lost: number | undefined): Promise<void> => {
  const admin = await cluster.connectAsAdmin("postgres");
  const isShared = `select from pg_locks l join pg_stat_activity a using (pid)
    where a.application_name = 'presence' and a.pid <> $1 and l.locktype = 'advisory' and l.granted`;
  await vi.waitFor(async () => expect((await admin.query(isShared, [lost])).rowCount).toBe(2));
};

beforeEach(async () => void (await untilSessions(0)));

const isAlone = () => Promise.resolve("alone");

describe("the presence of processes", () => {
  it("lets only one that is alone do its work, until all others have left", async () => {
    const [first, second, third] = [await open(), await open(), await open()];
    expect(await first.enter(isAlone)).toBe("alone");
    expect(await second.enter(isAlone)).toBeUndefined();
    await first.close();
    expect(await third.enter(isAlone)).toBeUndefined();
    await second.close();
    await third.close();
    await untilSessions(0);
    expect(await (await open()).enter(isAlone)).toBe("alone");
  });

  it("lets the next one do the work when it has failed", async () => {
    const [first, second] = [await open(), await open()];
    await expect(first.enter(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    await first.close();
    expect(await second.enter(isAlone)).toBe("alone");
  });

  it("makes others wait for the work", async () => {
    const [first, second] = [await open(), await open()];
    const events: string[] = [];
    let entered: Promise<void> | undefined;
    await first.enter(async () => {
      entered = second.enter(isAlone).then((result) => void events.push(String(result)));
      // Other connections are as fast as that of the second process, which does not enter.
      for (let count = 0; count < 3; count += 1) await (await open()).close();
      events.push("done");
    });
    await entered;
    expect(events).toEqual(["done", "undefined"]);
  });

  it("includes a process whose presence was lost while it works", async () => {
    const first = await open();
    await first.enter(isAlone);
    const sessions = await openSessions();
    await sessions.getCurrentId();
    // As when only this connection is lost, and is not there again yet.
    await first.close();
    expect(await (await open()).enter(isAlone)).toBeUndefined();
  });

  it("makes work of others wait for the work", async () => {
    const sessions = await openSessions();
    const admin = await cluster.connectAsAdmin("postgres");
    const events: string[] = [];
    let worked: Promise<unknown> | undefined;
    await (
      await open()
    ).enter(async () => {
      worked = sessions.runExclusively(["a"], () => Promise.resolve(events.push("work")));
      await vi.waitFor(
        async () => {
          const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
          expect((await admin.query(waiting)).rowCount).toBe(1);
        },
        { interval: 20 },
      );
      events.push("alone");
    });
    await worked;
    expect(events).toEqual(["alone", "work"]);
  });

  it("continues after its connection was lost", async () => {
    const first = await open();
    await first.enter(isAlone);
    const admin = await cluster.connectAsAdmin("postgres");
    const [pid] = await untilSessions(1);
    await admin.query("select pg_terminate_backend($1)", [pid]);
    await untilSharedAgain(pid);
    expect(await (await open()).enter(isAlone)).toBeUndefined();
  });

  it("continues when it could not connect again at first", async () => {
    await (await open()).enter(isAlone);
    const admin = await cluster.connectAsAdmin("postgres");
    const [pid] = await untilSessions(1);
    const connecting = vi.spyOn(Client.prototype, "connect");
    onTestFinished(() => void connecting.mockRestore());
    await admin.query("alter database presence allow_connections false");
    await admin.query("select pg_terminate_backend($1)", [pid]);
    await vi.waitFor(() => expect(connecting.mock.calls.length).toBeGreaterThan(1));
    await admin.query("alter database presence allow_connections true");
    await untilSharedAgain(pid);
    expect(await (await open()).enter(isAlone)).toBeUndefined();
  });

  it("can be tried again when Postgres cannot be reached, or ends the session before the work does", async () => {
    const unreachable = new Presence({ ...(await addressOf()), port: 1 }, installation);
    await expect(unreachable.enter(async () => undefined)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await unreachable.close();

    const presence = await open();
    const entering = presence.enter(async () => {
      const admin = await cluster.connectAsAdmin("postgres");
      const [pid] = await untilSessions(1);
      await admin.query("select pg_terminate_backend($1, 10000)", [pid]);
    });
    await expect(entering).rejects.toBeInstanceOf(DatabaseUnavailableError);
  });
});
