import { once } from "node:events";
import { type Socket, createServer } from "node:net";
import { TLSSocket, connect as connectTls } from "node:tls";
import { Client } from "pg";
import { describe, expect, it, vi } from "vitest";
import { Cluster } from "../../test/cluster.js";
import { directoryOf, proxyOfProgramStarter, proxyStarter, startup } from "../../test/proxy/start-proxy.js";
import { RawClient, errorFields, sslRequest } from "../../test/proxy/wire.js";

const cluster = new Cluster();
const start = proxyStarter(cluster);
const startWith = proxyOfProgramStarter(cluster);

/** Accepts the startup message, then sends what the client sends. */
const echo = (socket: Socket): void => {
  socket.once("data", (first: Buffer) => {
    socket.write("R");
    if (first.length > startup.length) socket.write(first.subarray(startup.length));
    socket.pipe(socket);
  });
};

/** Waits until a number no longer grows. */
const stall = (read: () => number): Promise<void> => {
  let before = -1;
  return vi.waitFor(
    () => {
      const now = read();
      const isStalled = now === before;
      before = now;
      expect(isStalled).toBe(true);
    },
    { interval: 100 },
  );
};

const connectEncrypted = async (port: number): Promise<TLSSocket> => {
  const raw = await RawClient.connect(port);
  await raw.send(sslRequest).receive(1);
  const socket = connectTls({ socket: raw.detach(), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
};

describe.each([
  ["plain", false],
  ["encrypted", true],
])("a %s connection", (_case, isEncrypted) => {
  const connect = async (port: number): Promise<Socket> =>
    isEncrypted ? connectEncrypted(port) : (await RawClient.connect(port)).detach();

  it("passes bytes on unchanged, in both directions, however they are split", async () => {
    const { proxy, defects } = await startWith(echo);
    const client = await connect(proxy.port);
    const received: Buffer[] = [];
    client.on("data", (bytes: Buffer) => received.push(bytes));
    // The first bytes arrive together with the startup message.
    client.write(Buffer.concat([startup, Buffer.from("<")]));
    const block = Buffer.from(Array.from({ length: 251 }, (_, index) => index));
    for (let count = 0; count < 4_000; count += 1) client.write(block);
    const expected = Buffer.concat([Buffer.from("R<"), ...Array<Buffer>(4_000).fill(block)]);
    await vi.waitFor(() => expect(Buffer.concat(received).length).toBe(expected.length));
    expect(Buffer.concat(received).equals(expected)).toBe(true);
    client.destroy();
    expect(defects).toEqual([]);
  });

  it("receives no faster than a slow client reads", async () => {
    let sent = 0;
    const { proxy, sockets } = await startWith((socket) => {
      const block = Buffer.alloc(65_536, "x");
      const send = (): void => {
        for (let more = true; more && sent < 200_000_000; sent += block.length) more = socket.write(block);
      };
      socket.once("data", () => {
        socket.on("drain", send);
        send();
      });
    });
    const client = await connect(proxy.port);
    client.write(startup);
    client.pause();
    await stall(() => sent);
    // Only the buffers of the system and the high-water marks of the streams are full.
    expect(sent).toBeLessThan(50_000_000);
    let received = 0;
    client.on("data", (bytes: Buffer) => (received += bytes.length));
    client.resume();
    await vi.waitFor(() => expect(received).toBeGreaterThan(55_000_000), { interval: 20 });
    client.destroy();
    await vi.waitFor(() => expect(sockets.every((socket) => socket.destroyed)).toBe(true));
  });

  it("sends no faster than a slow server reads", async () => {
    const { proxy, sockets } = await startWith((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write("R");
      });
    });
    const client = await connect(proxy.port);
    client.on("error", () => undefined);
    client.write(startup);
    await once(client, "data");
    const block = Buffer.alloc(1_000_000, "x");
    let written = 0;
    for (let count = 0; count < 60; count += 1) client.write(block, () => (written += 1));
    await stall(() => written);
    expect(written).toBeLessThan(50);
    sockets[0]?.resume();
    await vi.waitFor(() => expect(written).toBe(60));
    client.destroy();
  });

  it("delivers everything that the server sent before it closed the connection", async () => {
    const { proxy } = await startWith((socket) => {
      socket.once("data", () => socket.end(Buffer.alloc(5_000_000, "x")));
    });
    const client = await connect(proxy.port);
    client.write(startup);
    let received = 0;
    client.on("data", (bytes: Buffer) => (received += bytes.length));
    await once(client, "close");
    expect(received).toBe(5_000_000);
  });

  it("closes the server's side when the client disappears", async () => {
    const { proxy, sockets } = await startWith(echo);
    const client = await connect(proxy.port);
    client.on("error", () => undefined);
    client.write(startup);
    await once(client, "data");
    if (client instanceof TLSSocket) client.destroy();
    else client.resetAndDestroy();
    await vi.waitFor(() => expect(sockets[0]?.destroyed || sockets[0]?.readableEnded).toBe(true));
  });
});

describe("a client that closes its direction", () => {
  it("still receives the response", async () => {
    const { proxy } = await startWith((socket) => {
      socket.once("data", () => socket.write("R"));
      socket.on("end", () => socket.end("the answer"));
    });
    const client = await RawClient.connect(proxy.port);
    await client.send(startup).receive(1);
    client.socket.end();
    expect(String(await client.closed)).toBe("Rthe answer");
  });
});

describe("the proxy itself", () => {
  it("lets clients wait until it is opened", async () => {
    const { proxy } = await start({}, false);
    const { id, credential } = await cluster.makeTenant();
    const client = new Client({
      host: "127.0.0.1",
      port: proxy.port,
      user: credential.user,
      password: credential.pass,
      database: "postgres",
    });
    const connecting = client.connect();
    await new Promise((resolve) => setTimeout(resolve, 50));
    proxy.open(directoryOf(cluster.databases));
    await connecting;
    expect((await client.query("select current_database() as name")).rows).toEqual([{ name: id }]);
    await client.end();
  });

  it("refuses waiting clients when it stops, lets sessions continue, and ends them when it closes", async () => {
    const { proxy } = await startWith(echo);
    const session = await RawClient.connect(proxy.port);
    await session.send(startup).receive(1);
    const waitingProxy = await start({ timeoutMs: 60_000 }, false);
    const waiting = await RawClient.connect(waitingProxy.proxy.port);
    waiting.send(startup);
    await vi.waitFor(() => expect(waiting.socket.bytesWritten).toBeGreaterThan(0));
    await new Promise((resolve) => setTimeout(resolve, 50));
    waitingProxy.proxy.stopAccepting();
    expect(errorFields(await waiting.closed)).toMatchObject({ C: "57P01" });

    proxy.stopAccepting();
    await expect(RawClient.connect(proxy.port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(String(await session.send("more").receive(5))).toBe("Rmore");
    await proxy.close();
    await session.closed;
    await proxy.close();
  });

  it("reports that its port is in use", async () => {
    const { proxy } = await start();
    await expect(start({ port: proxy.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("accepts connections on ::1 where the machine has IPv6", async ({ skip }) => {
    const { proxy } = await start();
    const probe = createServer().listen(0, "::1");
    const hasIPv6 = await Promise.race([
      once(probe, "listening").then(() => true),
      once(probe, "error").then(() => false),
    ]);
    probe.close();
    if (!hasIPv6) skip("No IPv6 on this machine");
    const client = await RawClient.connect(proxy.port, "::1");
    expect(String(await client.send(sslRequest).receive(1))).toBe("S");
    client.socket.destroy();
  });
});
