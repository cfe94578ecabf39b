import { readFile } from "node:fs/promises";
import { connect as connectTls } from "node:tls";
import { DatabaseUnavailableError } from "@mgmt/engine";
import type { Client } from "pg";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { Cluster, newTenant } from "../cluster.js";
import { connect, databaseOf } from "./clients.js";
import { proxyStarter, names } from "./start-proxy.js";
import { RawClient, firstMessage, gssRequest, sslRequest } from "./wire.js";

const cluster = new Cluster();
const start = proxyStarter(cluster);
const mine = newTenant();
const other = newTenant();

beforeAll(async () => {
  for (const { id, credential } of [mine, other]) {
    await cluster.databases.create(id, { type: "empty" }, [credential]);
  }
});

/** The error of a connection that is refused. */
const rejection = (connected: Promise<Client>): Promise<unknown> =>
  connected.then(
    () => Promise.reject(new Error("Expected the connection to be refused")),
    (error: unknown) => error,
  );

describe("the database of a connection", () => {
  it.each(["postgres", mine.id, mine.credential.user, ""])(
    "is the tenant's own when it asks for %j",
    async (database) => {
      const started = await start();
      expect(await databaseOf(await connect(started, mine.credential, { database }))).toBe(mine.id);
    },
  );

  it.each(["shop_test", "shadow", "template1", "Postgres", "café", other.id, other.credential.user])(
    "is refused as missing when it asks for %j, and the tenant's own stays untouched",
    async (database) => {
      const started = await start();
      expect(await rejection(connect(started, mine.credential, { database }))).toMatchObject({
        code: "3D000",
        severity: "FATAL",
        message: `database "${database}" does not exist`,
        hint: expect.stringContaining("mgmt databases create"),
      });
      expect(started.defects).toEqual([]);
      // It does not count as a session, and the next one is accepted.
      expect(await databaseOf(await connect(started, mine.credential))).toBe(mine.id);
    },
  );

  it("is the tenant's own when it asks for the current name, until it has another one", async () => {
    const started = await start({ connectionLimit: 1 });
    names.set(mine.id, "café shop").set(other.id, "theirs");
    const client = await connect(started, mine.credential, { database: "café shop" });
    expect(await rejection(connect(started, mine.credential, { database: "café shop" }))).toMatchObject({
      code: "53300",
    });
    expect(await databaseOf(client)).toBe(mine.id);
    await vi.waitFor(async () => {
      expect(await databaseOf(await connect(started, mine.credential, { database: "café shop" }))).toBe(
        mine.id,
      );
    });
    for (const database of ["theirs", "cafe shop", "café shop "])
      expect(await rejection(connect(started, mine.credential, { database }))).toMatchObject({
        code: "3D000",
      });
    names.set(mine.id, "renamed");
    expect(await rejection(connect(started, mine.credential, { database: "café shop" }))).toMatchObject({
      code: "3D000",
    });
    expect(started.defects).toEqual([]);
    names.clear();
  });

  it("is not refused for its name while the names cannot be read", async () => {
    const started = await start({}, false);
    started.proxy.open({
      findDatabase: () => mine.id,
      findTerminationReason: () => undefined,
      findApiName: () => Promise.reject(new DatabaseUnavailableError("Postgres cannot be reached")),
    });
    expect(await rejection(connect(started, mine.credential, { database: "shop" }))).toMatchObject({
      code: "57P03",
    });
    expect(started.defects).toEqual([]);
  });

  it("does not say which databases exist to a client without the password", async () => {
    const started = await start();
    const wrong = { ...mine.credential, pass: "wrong" };
    names.set(mine.id, "shop");
    for (const database of [mine.id, other.id, "shop", "nothere"]) {
      expect(await rejection(connect(started, wrong, { database }))).toMatchObject({ code: "28P01" });
    }
  });

  it("is the tenant's own for a login that was granted later, until it is revoked", async () => {
    const started = await start();
    const later = { connectionId: "con_later", user: "role_later", pass: "later" };
    expect(await rejection(connect(started, later))).toMatchObject({ code: "28P01" });
    await cluster.databases.grant(mine.id, later);
    expect(await databaseOf(await connect(started, later))).toBe(mine.id);
    await cluster.databases.revoke(mine.id, later.connectionId);
    expect(await rejection(connect(started, later))).toMatchObject({ code: "28P01" });
  });

  it("is guarded by Postgres: a wrong password and an unknown user are refused", async () => {
    const started = await start();
    const wrong = { ...mine.credential, pass: "wrong" };
    expect(await rejection(connect(started, wrong))).toMatchObject({ code: "28P01" });
    expect(await rejection(connect(started, { user: "nobody", pass: "x" }))).toMatchObject({ code: "28P01" });
  });

  it("does not let one tenant use another tenant's database by any startup option", async () => {
    const started = await start();
    const client = await connect(started, mine.credential, {
      options: `-c role=${mine.id}`,
    });
    expect(await databaseOf(client)).toBe(mine.id);
    const refused = connect(started, mine.credential, { options: `-c role=${other.id}` });
    expect(await rejection(refused)).toMatchObject({ code: "42501" });
  });

  it.each([
    ["a simple query", []],
    ["a prepared statement", [""]],
  ])("says how to get pgvector: %s", async (_case, values) => {
    const client = await connect(await start(), mine.credential);
    const text = values.length === 0 ? "create extension vector" : "/* $1 */ create extension vector";
    const failed = client.query({ text, ...(values.length > 0 && { name: "create" }) });
    await expect(failed).rejects.toMatchObject({ hint: expect.stringContaining("pgvector") });
    await client.end();
  });

  it("preserves the other startup parameters", async () => {
    const client = await connect(await start(), mine.credential, {
      application_name: "café",
      options: "-c work_mem=7MB",
    });
    const { rows } = await client.query(
      "select current_setting('work_mem') as memory, current_setting('application_name') as name",
    );
    expect(rows).toEqual([{ memory: "7MB", name: "caf\\xc3\\xa9" }]);
    await client.end();
  });
});

describe("TLS", () => {
  it("is offered with a certificate that the authority verifies", async () => {
    const started = await start();
    const ca = await readFile(started.credentials.caFile, "utf8");
    for (const host of ["127.0.0.1", "localhost"]) {
      const client = await connect(started, mine.credential, { host, ssl: { ca, minVersion: "TLSv1.3" } });
      expect(await databaseOf(client)).toBe(mine.id);
    }
    expect(started.defects).toEqual([]);
  });

  it("is not verified without the authority", async () => {
    const started = await start();
    const refused = connect(started, mine.credential, { ssl: { ca: [] } });
    expect(await rejection(refused)).toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    expect(started.defects).toEqual([]);
  });

  it("leaves SCRAM to Postgres, with a right and with a wrong password", async () => {
    const started = await start();
    const ssl = { rejectUnauthorized: false };
    expect(await databaseOf(await connect(started, mine.credential, { ssl }))).toBe(mine.id);
    const wrong = { ...mine.credential, pass: "wrong" };
    expect(await rejection(connect(started, wrong, { ssl }))).toMatchObject({ code: "28P01" });
    // The server does not offer channel binding, and accepts that the client could have used it.
    const binding = { ssl, enableChannelBinding: true };
    expect(await databaseOf(await connect(started, mine.credential, binding))).toBe(mine.id);
  });

  it("follows a refused GSSENCRequest", async () => {
    const { proxy } = await start();
    const client = await RawClient.connect(proxy.port);
    expect(String(await client.send(gssRequest).receive(1))).toBe("N");
    expect(String(await client.send(sslRequest).receive(2))).toBe("NS");
    client.socket.destroy();
  });

  it("is accepted without an SSLRequest for the protocol postgresql only", async () => {
    const { proxy, defects } = await start();
    const handshake = (ALPNProtocols?: string[]): Promise<string> =>
      new Promise((resolve) => {
        const socket = connectTls({
          port: proxy.port,
          host: "127.0.0.1",
          rejectUnauthorized: false,
          ...(ALPNProtocols && { ALPNProtocols }),
        });
        socket.on("error", () => resolve("failed"));
        socket.on("close", () => resolve("closed"));
        socket.on("data", (bytes: Buffer) => {
          resolve(bytes.toString("latin1", 0, 1));
          socket.destroy();
        });
        socket.write(firstMessage([["user", mine.credential.user]]));
      });
    // The request for a password.
    expect(await handshake(["postgresql"])).toBe("R");
    expect(await handshake(["h2", "http/1.1"])).toBe("failed");
    expect(await handshake()).toBe("closed");
    expect(defects).toEqual([]);
  });
});

describe("a cancel request", () => {
  it.each([
    ["plain", false],
    ["TLS", { rejectUnauthorized: false }],
  ])("ends the query of another connection over %s", async (_case, ssl) => {
    const started = await start();
    const client = await connect(started, mine.credential, { ssl });
    const sleeping = expect(client.query("select pg_sleep(60)")).rejects.toMatchObject({ code: "57014" });
    await vi.waitFor(async () => {
      const { rows } = await (
        await cluster.connectAsAdmin("postgres")
      ).query("select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'");
      expect(rows.length).toBeGreaterThan(0);
    });
    await cancel(client, started.proxy.port);
    await sleeping;
    await client.end();
  });

  it("does nothing with a wrong key", async () => {
    const started = await start();
    const raw = await RawClient.connect(started.proxy.port);
    const request = Buffer.alloc(16, 1);
    request.writeUInt32BE(16, 0);
    request.writeUInt32BE(80_877_102, 4);
    expect(await raw.send(request).closed).toHaveLength(0);
    expect(await databaseOf(await connect(started, mine.credential))).toBe(mine.id);
  });
});

/** Sends the CancelRequest of a connection, as `PQcancel` does. */
const cancel = async (client: Client, port: number): Promise<void> => {
  const { processID, secretKey } = client as Client & { processID: number; secretKey: number };
  const request = Buffer.alloc(16);
  for (const [index, value] of [16, 80_877_102, processID].entries()) request.writeInt32BE(value, index * 4);
  request.writeInt32BE(secretKey, 12);
  await (await RawClient.connect(port)).send(request).closed;
};

describe("the limit of connections per database", () => {
  it("refuses more with an explanation, and counts each database on its own", async () => {
    const started = await start({ connectionLimit: 2 });
    const clients = [await connect(started, mine.credential), await connect(started, mine.credential)];
    expect(await rejection(connect(started, mine.credential))).toMatchObject({
      code: "53300",
      message: `too many connections for database "${mine.id}"`,
      hint: expect.stringContaining("The limit is 2 connections per database"),
    });
    expect(await databaseOf(await connect(started, other.credential))).toBe(other.id);

    await clients[0]?.end();
    await vi.waitFor(async () =>
      expect(await databaseOf(await connect(started, mine.credential))).toBe(mine.id),
    );
    await clients[1]?.end();
  });

  it("changes while the proxy runs, and a reset restores it", async () => {
    const started = await start({ connectionLimit: 1 });
    const { proxy } = started;
    const first = await connect(started, mine.credential);
    proxy.connectionLimit = 0;
    expect(await rejection(connect(started, other.credential))).toMatchObject({ code: "53300" });
    proxy.connectionLimit = null;
    await (await connect(started, mine.credential)).end();
    proxy.reset();
    expect(proxy.connectionLimit).toBe(1);
    await first.end();
  });
});

/** What a client reports when its connection is cut, with or without unread data. */
const disconnected = /Connection terminated|ECONNRESET/;

describe("a fault", () => {
  it("refuses new connections of one database with an error of choice, and no others", async () => {
    const started = await start();
    const { faults } = started.proxy;
    const fault = faults.add({ database: mine.id, effect: "refuse", code: "53400", message: "too busy" });
    expect(await rejection(connect(started, mine.credential))).toMatchObject({
      code: "53400",
      message: "too busy",
      severity: "FATAL",
    });
    expect(await databaseOf(await connect(started, other.credential))).toBe(other.id);
    expect(faults.list()).toMatchObject([{ struck: 1 }]);
    faults.remove(fault.id);
    expect(await databaseOf(await connect(started, mine.credential))).toBe(mine.id);
  });

  it("affects a number of connections, and those with a probability", async () => {
    const started = await start();
    const { faults } = started.proxy;
    faults.add({ effect: "refuse", times: 1 });
    faults.add({ effect: "refuse", probability: 0 });
    expect(await rejection(connect(started, mine.credential))).toMatchObject({ code: "57P03" });
    expect(await databaseOf(await connect(started, mine.credential))).toBe(mine.id);
  });

  it("drops the open connections of one database, and new ones", async () => {
    const started = await start();
    const open = await connect(started, mine.credential);
    const untouched = await connect(started, other.credential);
    const query = expect(open.query("select pg_sleep(60)")).rejects.toThrow(disconnected);
    started.proxy.faults.add({ database: mine.id, effect: "drop" });
    await query;
    await expect(connect(started, mine.credential)).rejects.toThrow(disconnected);
    expect(await databaseOf(untouched)).toBe(other.id);
  });

  it("delays what clients send, on open and on new connections, until it is removed", async () => {
    const started = await start();
    const open = await connect(started, mine.credential);
    const time = async (work: () => Promise<unknown>): Promise<number> => {
      const start = performance.now();
      await work();
      return performance.now() - start;
    };
    const fault = started.proxy.faults.add({ database: mine.id, effect: "delay", latency: 300 });
    expect(await time(() => open.query("select 1"))).toBeGreaterThan(290);
    // A startup message and two messages of SCRAM.
    let fresh: Client | undefined;
    expect(await time(async () => (fresh = await connect(started, mine.credential)))).toBeGreaterThan(890);
    started.proxy.faults.remove(fault.id);
    await open.query("select 1");
    await fresh?.end();
    await open.end();
  });
});
