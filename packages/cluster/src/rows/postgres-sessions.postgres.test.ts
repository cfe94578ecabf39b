import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { DatabaseUnavailableError } from "@mgmt/engine";
import type { ClientConfig } from "pg";
import { LockLostError } from "@mgmt/engine/internal";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import type { OpenRecords } from "./open-records.js";
import { PostgresSessions } from "./postgres-sessions.js";
import { Installation, createInstallationKeys } from "../policy/installation.js";
import { LossyProxy } from "../../test/rows/lossy-proxy.js";
import { HoldPoint } from "../../test/stepped-databases.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";
import { StoredProcess } from "../../test/rows/stored-process.js";

const cluster = new StoreCluster();
let records: OpenRecords;

beforeAll(async () => (records = await cluster.openRecords(cluster.newSchema())));
afterAll(() => records.close());

/** Returns an installation that shares no locks with others. */
const newInstallation = (): Installation => new Installation(createInstallationKeys());

/** Records the warnings of Node.js until the returned function is called, which returns them. */
const recordWarnings = (): (() => Promise<string[]>) => {
  const warnings: string[] = [];
  const listen = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", listen);
  return async () => {
    // Node.js emits warnings later.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    return warnings;
  };
};

describe("the session of a process", () => {
  it("runs one statement at a time, because the driver supports no more", async () => {
    const stop = recordWarnings();
    const names = Array.from({ length: 20 }, (_, index) => `database ${String(index)}`);
    const done = await Promise.all(
      names.map((name) => records.sessions.runExclusively([name], () => Promise.resolve(name))),
    );
    expect(done).toEqual(names);
    expect(await stop()).toEqual([]);
  });

  it("is ended once, however many statements wait when its connection is lost", async () => {
    const proxy = await LossyProxy.start(cluster.address.port);
    const sessions = new PostgresSessions({ ...cluster.address, port: proxy.port }, newInstallation());
    const id = await sessions.getCurrentId();
    proxy.stall();
    const stop = recordWarnings();
    const waiting = Array.from({ length: 20 }, () =>
      sessions.selectLive([]).catch((error: unknown) => error),
    );
    await cluster.pool.query("select pg_terminate_backend($1)", [id.split(" ")[0]]);
    proxy.resume();
    for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(DatabaseUnavailableError);
    expect(await stop()).toEqual([]);
    await sessions.close();
    await proxy.close();
  });

  it("continues after a statement that fails", async () => {
    const ids = await records.sessions.selectLive([await records.sessions.getCurrentId()]);
    expect(ids.size).toBe(1);
    // Postgres does not accept this character in a text.
    await expect(records.sessions.selectLive(["\0"])).rejects.toThrow();
    expect(await records.sessions.selectLive([...ids])).toEqual(ids);
  });
});

describe("locks that a process could not get", () => {
  it("are left to others when Postgres fails between them", async () => {
    const { id, secret } = createInstallationKeys();
    class Failing extends Installation {
      override toLockKey(name: string): string {
        // Fails when it runs, not when it is planned.
        return name === "work second" ? "1 / (random() * 0)::bigint" : super.toLockKey(name);
      }
    }
    const [failing, other] = [Failing, Installation].map(
      (kind) => new PostgresSessions(cluster.address, new kind({ id, secret })),
    );
    onTestFinished(async () => void (await Promise.all([failing?.close(), other?.close()])));
    const work = vi.fn(() => Promise.resolve("done"));
    await expect(failing?.runExclusively(["first", "second"], work)).rejects.toThrow("division by zero");
    expect(work).not.toHaveBeenCalled();
    expect(await other?.runExclusively(["first", "second"], work)).toBe("done");
  });
});

describe("the first session of a process", () => {
  /** Returns the sessions of processes of one installation. */
  const openProcesses = (count: number, config: ClientConfig = {}): PostgresSessions[] => {
    const shared = newInstallation();
    return Array.from({ length: count }, () => {
      const sessions = new PostgresSessions({ ...cluster.address, ...config }, shared);
      onTestFinished(() => sessions.close());
      return sessions;
    });
  };
  const workAlone = () => Promise.resolve("alone");

  /** Waits until Postgres has ended a session, which it does after the connection. */
  const close = async (sessions: PostgresSessions | undefined): Promise<void> => {
    const pid = pidOf((await sessions?.getCurrentId()) ?? "");
    await sessions?.close();
    await untilEnded(pid);
  };

  it("lets only a process that is alone do its work, until all others have left", async () => {
    const [first, second, third, fourth] = openProcesses(4);
    expect(await first?.enter(workAlone)).toBe("alone");
    expect(await second?.enter(workAlone)).toBeUndefined();
    await close(first);
    expect(await third?.enter(workAlone)).toBeUndefined();
    await close(second);
    await close(third);
    expect(await fourth?.enter(workAlone)).toBe("alone");
  });

  it("lets the next one do the work when it has failed", async () => {
    const [first, second] = openProcesses(2);
    await expect(first?.enter(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    await first?.close();
    expect(await second?.enter(workAlone)).toBe("alone");
  });

  it("makes the entry of others, and their work, wait for the work", async () => {
    const [first, second, third] = openProcesses(3);
    const events: string[] = [];
    const others: Promise<unknown>[] = [];
    await first?.enter(async () => {
      others.push(
        Promise.resolve(second?.enter(workAlone)).then((result) => events.push(String(result))),
        Promise.resolve(third?.runExclusively(["a"], () => Promise.resolve(events.push("work")))),
      );
      await vi.waitFor(
        async () => {
          const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
          expect((await cluster.pool.query(waiting)).rowCount).toBe(1);
        },
        { interval: 20 },
      );
      events.push("done");
    });
    await Promise.all(others);
    expect(events.toSorted()).toEqual(["done", "undefined", "work"]);
    expect(events[0]).toBe("done");
  });

  it("is replaced when its connection is lost, although the process does nothing", async () => {
    const [idle, other] = openProcesses(2, { application_name: "idle" });
    await idle?.enter(workAlone);
    await endBackend(pidOf((await idle?.getCurrentId()) ?? ""));
    await vi.waitFor(
      async () => {
        const { rows } = await cluster.pool.query(
          "select from pg_locks join pg_stat_activity using (pid) where application_name = 'idle' and locktype = 'advisory'",
        );
        expect(rows).toHaveLength(1);
      },
      { interval: 20 },
    );
    expect(await other?.enter(workAlone)).toBeUndefined();
  });

  it("reports that Postgres cannot be reached, or has ended it before the work was done", async () => {
    const [unreachable] = openProcesses(1, { port: 1 });
    await expect(unreachable?.enter(workAlone)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    const [sessions] = openProcesses(1, { application_name: "entering" });
    const entering = sessions?.enter(async () => {
      const { rows } = await cluster.pool.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'entering'",
      );
      await endBackend(String(rows[0]?.pid));
    });
    await expect(entering).rejects.toBeInstanceOf(DatabaseUnavailableError);
  });
});

describe("a statement that Postgres does not answer in time", () => {
  afterEach(() => vi.useRealTimers());

  it("leaves no lock that the work of other processes would wait for", async () => {
    const shared = newInstallation();
    const proxy = await LossyProxy.start(cluster.address.port);
    const config = { ...cluster.address, port: proxy.port, query_timeout: 15_000 };
    const [stalled, other] = [
      new PostgresSessions(config, shared),
      new PostgresSessions(cluster.address, shared),
    ];
    await stalled.getCurrentId();
    proxy.stall();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const work = stalled
      .runExclusively(["database"], () => Promise.resolve())
      .catch((error: unknown) => error);
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(15_000);
    expect(await work).toBeInstanceOf(DatabaseUnavailableError);
    vi.useRealTimers();
    proxy.resume();
    // A statement of the same session runs after the one that took too long.
    await vi.waitFor(() => stalled.selectLive([]));
    expect(await other.runExclusively(["database"], () => Promise.resolve("done"))).toBe("done");
    await stalled.close();
    await other.close();
    await proxy.close();
  });
});

/** Ends the session of a process, and resolves when Postgres has released its locks. */
const endSession = async ({ sessions }: OpenRecords): Promise<void> =>
  endBackend(pidOf(await sessions.getCurrentId()));

const pidOf = (sessionId: string): string => sessionId.replace(/ .*/, "");

const endBackend = async (pid: string): Promise<void> => {
  await cluster.pool.query("select pg_terminate_backend($1)", [pid]);
  await untilEnded(pid);
};

const untilEnded = async (pid: string): Promise<void> => {
  await vi.waitFor(
    async () => {
      const { rows } = await cluster.pool.query("select from pg_stat_activity where pid = $1", [pid]);
      expect(rows).toEqual([]);
    },
    { interval: 10 },
  );
};

/** Resolves when the signal is aborted, with the reason. */
const abortOf = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));

describe("work that loses its locks because its session ends", () => {
  it("is told, and cannot confirm them any more", async () => {
    const reason = await records.sessions.runExclusively(["told"], async (lock) => {
      await lock.confirm();
      expect(lock.signal.aborted).toBe(false);
      const aborted = abortOf(lock.signal);
      await endSession(records);
      await expect(lock.confirm()).rejects.toThrow(LockLostError);
      return aborted;
    });
    expect(reason).toBeInstanceOf(LockLostError);
    expect(reason).toBeInstanceOf(DatabaseUnavailableError);
  });

  it("cannot confirm them when the end of the session is reported together with the response", async () => {
    const proxy = await LossyProxy.start(cluster.address.port);
    const sessions = new PostgresSessions({ ...cluster.address, port: proxy.port }, newInstallation());
    const pid = pidOf(await sessions.getCurrentId());
    await sessions.runExclusively(["together"], async (lock) => {
      proxy.holdResponses();
      const refused = expect(lock.confirm()).rejects.toThrow(LockLostError);
      await vi.waitFor(
        async () => {
          const { rows } = await cluster.pool.query(
            "select from pg_stat_activity where pid = $1 and query = 'select' and state = 'idle'",
            [pid],
          );
          expect(rows).toHaveLength(1);
        },
        { interval: 10 },
      );
      await endBackend(pid);
      await proxy.passResponses();
      await refused;
    });
    await sessions.close();
    await proxy.close();
  });

  it("leaves the next session in place when the end of the last one is reported late", async () => {
    const ended = await records.sessions.getCurrentId();
    await endSession(records);
    let id = "";
    await vi.waitFor(async () => {
      id = await records.sessions.getCurrentId();
      // Postgres ends the session before this process hears of it.
      expect(id).not.toBe(ended);
    });
    await records.sessions.runExclusively(["next"], async (lock) => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await lock.confirm();
    });
    expect(await records.sessions.getCurrentId()).toBe(id);
  });

  /** Opens two processes with one database, and holds what the first one does to it. */
  const openTwo = async (models = new ModelDatabases(), other = new ModelDatabases()) => {
    const schema = cluster.newSchema();
    const settings = { lifecycle: { provisioning: 0 } };
    const first = await StoredProcess.open(cluster, schema, { databaseEngine: models, settings });
    const { data } = await first.send("projects.create", { body: { name: "shop" } });
    const databaseId = (data["database"] as { id: string }).id;
    const path = { databaseId };
    await vi.waitFor(
      async () => expect((await first.send("databases.get", { path })).data["status"]).toBe("ready"),
      { interval: 20 },
    );
    if (other !== models) await other.create(databaseId, { type: "empty" }, []);
    const second = await StoredProcess.open(cluster, schema, { databaseEngine: other, settings });
    return { first, second, models, other, path, projectId: data.id };
  };

  it("stores no result: a change is made once, by the process that has the locks then", async () => {
    const { first, second, models, path } = await openTwo();
    const held = models.hold("grant");
    const created = first.send("databases.connections.create", { path, body: { name: "app" } });
    await held.begun;
    // Otherwise it could repeat the job before the other process looks for it.
    const stopped = first.engine.stop();
    await endSession(first.records);
    const connections = async (): Promise<string[]> => {
      const { data } = await second.send("databases.connections.list", { path });
      return (data as unknown as { name: string }[]).map(({ name }) => name).filter((name) => name === "app");
    };
    // The second process takes over, although the first one is still at work.
    await vi.waitFor(async () => expect(await connections()).toEqual(["app"]));
    held.release();
    const { status, headers } = await created;
    await stopped;
    expect(status).toBe(503);
    expect(headers).not.toHaveProperty("retry-after");
    expect(await connections()).toEqual(["app"]);
  });

  it("keeps the password that another process has set since", async () => {
    const models = new ModelDatabases();
    const { first, second, path } = await openTwo(models, models);
    const [id = ""] = Object.keys(models.passwords(path.databaseId) ?? {});
    const point = new HoldPoint();
    const grant = models.grant.bind(models);
    vi.spyOn(models, "grant").mockImplementationOnce(async (databaseId, credential) => {
      await point.wait();
      await grant(databaseId, credential);
    });
    const rotated = first.send("connections.rotate", { path: { id } });
    await point.isReached;
    // Otherwise it could repeat the job before the other process looks for it.
    const stopped = first.engine.stop();
    await endSession(first.records);
    expect((await second.send("connections.rotate", { path: { id } })).status).toBe(200);
    await vi.waitFor(async () => expect((await second.engine.snapshot()).jobs).toEqual([]), { interval: 20 });
    const newest = models.passwords(path.databaseId);
    point.release();
    expect((await rotated).status).toBe(503);
    await stopped;
    await vi.waitFor(() => expect(models.passwords(path.databaseId)).toEqual(newest), { interval: 20 });
  });

  it("makes no failure of what another process does", async () => {
    const { first, second, models, other, projectId } = await openTwo();
    const [held, taken] = [models.hold("create"), other.hold("create")];
    models.fail("create");
    const { data } = await first.send("databases.create", { body: { projectId, name: "second" } });
    await held.begun;
    // Otherwise it could repeat the job before the other process looks for it.
    const stopped = first.engine.stop();
    await endSession(first.records);
    await taken.begun;
    held.release();
    await stopped;
    const read = () => second.send("databases.get", { path: { databaseId: data.id } });
    expect((await read()).data["status"]).toBe("provisioning");
    taken.release();
    await vi.waitFor(async () => expect((await read()).data["status"]).toBe("ready"), { interval: 20 });
  });
});
