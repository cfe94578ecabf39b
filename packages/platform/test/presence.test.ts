import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Presence } from "../src/databases/presence.js";
import { Cluster, adminPassword } from "./cluster.js";

const cluster = new Cluster();

/** Opens the presence of a process. The platform of the cluster is in another database. */
const open = async (): Promise<Presence> => {
  const admin = await cluster.connectAsAdmin("postgres");
  const databases = await admin.query("select from pg_database where datname = 'presence'");
  if (databases.rowCount === 0) await admin.query("create database presence template template0");
  const presence = new Presence({
    ...{ host: "127.0.0.1", port: cluster.server.port, user: "postgres", password: adminPassword },
    ...{ database: "presence", application_name: "presence" },
  });
  onTestFinished(() => presence.close());
  return presence;
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
    { timeout: 60_000, interval: 20 },
  );
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

  it("continues after its connection was lost", async () => {
    const first = await open();
    await first.enter(isAlone);
    const admin = await cluster.connectAsAdmin("postgres");
    const [pid] = await untilSessions(1);
    await admin.query("select pg_terminate_backend($1)", [pid]);
    const isShared = `select from pg_locks l join pg_stat_activity a using (pid)
      where a.application_name = 'presence' and a.pid <> $1 and l.locktype = 'advisory' and l.granted`;
    await vi.waitFor(async () => expect((await admin.query(isShared, [pid])).rowCount).toBe(1), {
      timeout: 60_000,
      interval: 20,
    });
    expect(await (await open()).enter(isAlone)).toBeUndefined();
  });
});
