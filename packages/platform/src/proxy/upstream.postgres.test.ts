import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { Cluster } from "../../test/cluster.js";
import { proxyOfProgramStarter, proxyStarter, startup } from "../../test/proxy/start-proxy.js";
import { RawClient, errorFields } from "../../test/proxy/wire.js";

const cluster = new Cluster();
const start = proxyStarter(cluster);
const startWith = proxyOfProgramStarter(cluster);

describe("Postgres that is not available", () => {
  const query = async (port: number, { user, pass }: { user: string; pass: string }): Promise<object[]> => {
    const client = new Client({ host: "127.0.0.1", port, user, password: pass, database: "postgres" });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query("select current_database() as name");
    await client.end();
    return rows;
  };

  it("is hidden from new connections while it restarts", async () => {
    const { proxy, defects } = await start();
    const { id, credential } = await cluster.makeTenant();
    // Opening the databases again would end sessions of clients, which the platform lets in only afterwards.
    await cluster.server.stop();
    const connecting = Promise.allSettled([1, 2, 3].map(() => query(proxy.port, credential)));
    await cluster.startServer();
    expect(await connecting).toEqual(Array(3).fill({ status: "fulfilled", value: [{ name: id }] }));
    expect(defects).toEqual([]);
  });

  it("is hidden from new connections while it recovers from a crash", async () => {
    const { proxy } = await start();
    const { credential } = await cluster.makeTenant();
    const client = new Client({
      host: "127.0.0.1",
      port: proxy.port,
      user: credential.user,
      password: credential.pass,
      database: "postgres",
    });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const pid = rows[0]?.pid ?? 0;
    // All sessions end when one process is killed, and Postgres refuses connections until it has recovered.
    process.kill(pid, "SIGKILL");
    await expect(client.query("select 1")).rejects.toThrow();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => query(proxy.port, credential)),
    );
    // A connection that Postgres accepted before it noticed the crash ends with the others.
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    for (const reason of reasons) expect(reason).not.toMatchObject({ code: "57P03" });
    expect(await query(proxy.port, credential)).toHaveLength(1);
  });

  it("is reported after a bounded time", async () => {
    const { proxy, defects } = await start({ postgres: { path: "/nonexistent/socket" }, timeoutMs: 150 });
    const client = await RawClient.connect(proxy.port);
    expect(errorFields(await client.send(startup).closed)).toMatchObject({
      C: "57P03",
      M: "the database server is restarting",
      H: expect.stringContaining("Try again"),
    });
    expect(defects).toEqual([]);
  });

  it("is retried while it refuses with 57P03, and passes every other error on", async () => {
    const error = (code: string): Buffer => {
      const content = Buffer.from(`SFATAL\0C${code}\0Mrefused\0\0`);
      const header = Buffer.alloc(5, "E");
      header.writeUInt32BE(content.length + 4, 1);
      return Buffer.concat([header, content]);
    };
    let attempts = 0;
    const { proxy } = await startWith((socket) => {
      attempts += 1;
      const bytes = error(attempts < 4 ? "57P03" : "28000");
      // In two parts, to be put together again.
      socket.once("data", () => socket.write(bytes.subarray(0, 7), () => socket.end(bytes.subarray(7))));
    });
    const client = await RawClient.connect(proxy.port);
    expect(errorFields(await client.send(startup).closed)).toMatchObject({ C: "28000" });
    expect(attempts).toBe(4);
  });

  it("is not waited for after the client has gone", async () => {
    const { proxy } = await start({ postgres: { path: "/nonexistent/socket" }, connectionLimit: 1 });
    const client = await RawClient.connect(proxy.port);
    client.send(startup).socket.resetAndDestroy();
    await client.closed;
    const closing = proxy.close();
    await closing;
  });
});
