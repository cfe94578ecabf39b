import { DatabaseUnavailableError } from "@mgmt/engine";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createTestKeys } from "../../test/rows/record-keys.js";
import { createRejectedSocket, createSocket } from "../../../platform/src/serve/sockets.js";
import { Cluster, adminPassword } from "../../../platform/test/cluster.js";
import { Forwarder } from "../../../../test/serve/forwarder.js";
import type { DatabaseAddress } from "../policy/address.js";
import { NewerSchemaError, serversLockName } from "./migrate.js";
import { type OpenRecords, openRecords } from "./open-records.js";
import { ServerLease } from "./server-lease.js";
import { SettingsDifferError } from "./server-registry.js";

const cluster = new Cluster({}, { user: "renter" });
const otherCluster = new Cluster();

const buildAddress = (lease?: ServerLease): DatabaseAddress => ({
  ...{ host: "127.0.0.1", port: cluster.options.port, user: "renter", password: adminPassword },
  database: "records",
  ...(lease && { server: lease }),
});

interface TestServer {
  lease: ServerLease;
  records: OpenRecords;
  log: string[];
  lost: number;
  keyId: string;
}

const startServer = async (settings: Record<string, string> = {}): Promise<TestServer> => {
  const lease = new ServerLease(createSocket, createRejectedSocket);
  const address = buildAddress(lease);
  const registration = { version: "1", settings };
  const records = await openRecords(address, { keys: createTestKeys(), registration });
  const server: TestServer = { lease, records, log: [], lost: 0, keyId: "first" };
  lease.start({
    ...{ address, registry: records.servers },
    refreshKeyId: () => server.keyId,
    onLost: () => (server.lost += 1),
    onClockOffset: () => undefined,
    onLog: (line) => server.log.push(line),
  });
  onTestFinished(async () => {
    await records.close();
    await lease.close();
  });
  return server;
};

/** Runs a statement as another login of the platform. */
const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> => {
  const client = new Client(buildAddress());
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
};

const readBeat = async ({ lease }: TestServer): Promise<unknown> =>
  (await query("select heartbeat_at::text from mgmt.servers where id = $1", [lease.id]))[0];

/** Moves the timers to the next heartbeat of all servers, and waits for that of one. */
const passHeartbeat = async (server: TestServer): Promise<void> => {
  const lastBeat = await readBeat(server);
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.waitFor(async () => {
    vi.advanceTimersByTime(0);
    expect(await readBeat(server)).not.toEqual(lastBeat);
  });
};

/** Makes the last heartbeat of a server look as if it were a minute ago. */
const silence = async ({ lease }: TestServer): Promise<void> => {
  await query("update mgmt.servers set heartbeat_at = heartbeat_at - interval '60 s' where id = $1", [
    lease.id,
  ]);
};

describe("the lease of a server", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => vi.useRealTimers());

  it("is renewed by its heartbeat, and given up by its end", async () => {
    const server = await startServer();
    await passHeartbeat(server);
    server.keyId = "second";
    await passHeartbeat(server);
    expect(await server.records.listServers()).toMatchObject([
      { id: server.lease.id, version: "1", keyId: "second" },
    ]);
    expect(server.lease.isLive()).toBe(true);
    await server.lease.close();
    expect(server.lease.isLive()).toBe(false);
    expect(await query("select from mgmt.servers")).toEqual([]);
  });

  it("ends without a heartbeat, and then no connection opens", async () => {
    const server = await startServer();
    vi.spyOn(server.records.servers, "sendHeartbeat").mockRejectedValue(new Error("Postgres is away"));
    await vi.advanceTimersByTimeAsync(16_000);
    expect(server.lease.isLive()).toBe(false);
    await expect(server.records.readCounts()).rejects.toBeInstanceOf(DatabaseUnavailableError);
    vi.restoreAllMocks();
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(500);
      expect(server.lease.isLive()).toBe(true);
    });
    expect(await server.records.readCounts()).toMatchObject({ databases: {} });
    expect(server.log[0]).toMatch("Heartbeats do not reach Postgres: ");
    expect(server.log.at(-1)).toBe("Heartbeats reach Postgres again");
  });

  it("is taken from a server that another one has seen silent", async () => {
    const observer = await startServer();
    const frozen = await startServer();
    // It does not run, but its sessions hold their locks.
    const beat = vi.spyOn(frozen.records.servers, "sendHeartbeat").mockRejectedValue(new Error("frozen"));
    const sessionId = await frozen.records.sessions.getCurrentId();
    await silence(frozen);
    await passHeartbeat(observer);
    // It may be that nobody could reach Postgres.
    await passHeartbeat(observer);
    expect(await observer.records.sessions.selectLive([sessionId])).toEqual(new Set([sessionId]));
    await passHeartbeat(observer);
    await passHeartbeat(observer);
    await vi.waitFor(async () => {
      expect(await query("select from mgmt.servers where id = $1", [frozen.lease.id])).toEqual([]);
    });
    expect(await observer.records.sessions.selectLive([sessionId])).toEqual(new Set());
    expect(observer.log).toEqual([expect.stringContaining(frozen.lease.id)]);
    beat.mockRestore();
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(500);
      expect(frozen.lost).toBe(1);
    });
    await expect(frozen.records.sessions.getCurrentId()).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(observer.lost).toBe(0);
  });

  it("is taken to its end by another server if the one that began ends", async () => {
    const frozen = await startServer();
    vi.spyOn(frozen.records.servers, "sendHeartbeat").mockRejectedValue(new Error("frozen"));
    await query("update mgmt.servers set fenced_at = clock_timestamp() where id = $1", [frozen.lease.id]);
    const observer = await startServer();
    await passHeartbeat(observer);
    await vi.waitFor(async () => {
      expect(await query("select from mgmt.servers where id = $1", [frozen.lease.id])).toEqual([]);
    });
  });

  it("is not given to a server with other settings, except those that only one of two versions has", async () => {
    await startServer({ a: "1", b: "2", onlyOld: "5" });
    const rejection = startServer({ a: "1", b: "3", onlyNew: "4" });
    await expect(rejection).rejects.toBeInstanceOf(SettingsDifferError);
    await expect(rejection).rejects.toMatchObject({ settingNames: ["b"] });
    await startServer({ a: "1", b: "2", onlyNew: "4" });
  });

  it("is not given to a server whose program has become too old while it started", async () => {
    const { lease, records } = await startServer();
    const client = new Client(buildAddress());
    await client.connect();
    onTestFinished(() => client.end());
    const lockKey = records.installation.toLockKey(serversLockName);
    await client.query(`begin; select pg_advisory_xact_lock(${lockKey})`);
    await client.query("insert into mgmt.migrations values (1000, 1000)");
    onTestFinished(async () => void (await query("delete from mgmt.migrations where version = 1000")));
    const refused = expect(startServer()).rejects.toBeInstanceOf(NewerSchemaError);
    await vi.waitFor(async () =>
      expect(await query("select from pg_locks where locktype = 'advisory' and not granted")).toHaveLength(1),
    );
    await client.query("commit");
    await refused;
    expect(await records.listServers()).toMatchObject([{ id: lease.id }]);
  });

  it("ends connections to an instance of another cluster that a new one has replaced at its address", async () => {
    const { lease, log } = await startServer();
    const moved = new Forwarder();
    await moved.start();
    onTestFinished(() => moved.close());
    const address = {
      ...buildAddress(),
      ...{ port: moved.port, user: "postgres", database: "postgres" },
    };
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    lease.monitorAddress(address);
    moved.target = cluster.options.port;
    const client = new Client(address);
    const ended = new Promise((resolve) => client.once("end", resolve));
    client.on("error", () => undefined);
    await client.connect();
    await lease.register(client);
    const waiting = expect(client.query("select pg_sleep(600)")).rejects.toThrow("Connection terminated");
    moved.target = otherCluster.options.port;
    vi.advanceTimersByTime(5_000);
    await Promise.all([ended, waiting]);
    expect(log).toEqual([expect.stringContaining(`:${String(moved.port)} leads to another instance`)]);
  });
});
