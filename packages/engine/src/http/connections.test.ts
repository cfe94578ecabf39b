import { once } from "node:events";
import { type Server, type ServerResponse, createServer } from "node:http";
import { type AddressInfo, type Socket, connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { Connections, type Listener } from "./connections.js";

const minute = 60_000;

let server: Server;
afterEach(() => void server.close().closeAllConnections());

const serve = async (
  listener: Listener,
  { pipelined = 4, sendTimeout = minute } = {},
): Promise<{ client: Socket; received: () => string }> => {
  server = createServer();
  server.on(
    "request",
    new Connections(server, { maxPipelined: pipelined, sendTimeoutMs: sendTimeout }).withLimits(listener),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const client = connect(port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  let text = "";
  client.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return { client, received: () => text };
};

const requests = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `GET /${String(index)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
  ).join("");

const bodies = (text: string): string[] => [...text.matchAll(/<(.*?)>/g)].map(([, body = ""]) => body);

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await setImmediate();
};

describe("pipelined requests", () => {
  it("wait while many requests of the connection are in progress", async () => {
    const started: ServerResponse[] = [];
    const { client, received } = await serve((_, response) => void started.push(response));
    client.write(requests(100));
    await until(() => started.length > 0);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(started.length).toBeLessThanOrEqual(4);
    for (let index = 0; index < 100; index += 1) {
      await until(() => started.length > index);
      started[index]?.end(`<${String(index)}>`);
    }
    await until(() => bodies(received()).length === 100);
    expect(bodies(received())).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
  });

  it("are not read while others wait, also when Node.js resumes the connection", async () => {
    const started: ServerResponse[] = [];
    const { client } = await serve((_, response) => void started.push(response));
    client.write(requests(10));
    const [socket] = (await once(server, "connection")) as [Socket];
    await until(() => socket.isPaused());
    socket.resume();
    await until(() => socket.isPaused());
    for (let index = 0; index < 10; index += 1) {
      await until(() => started.length > index);
      started[index]?.end();
    }
    await until(() => !socket.isPaused());
  });

  it("are all handled in order when more come than are read at once, and the last one has a body", async () => {
    const { client, received } = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on(
        "end",
        () =>
          void setImmediate().then(() => response.end(`<${request.url}${String(Buffer.concat(chunks))}>`)),
      );
    });
    client.write(requests(3_000));
    client.write("POST /last HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nbo");
    await until(() => bodies(received()).length === 3_000);
    client.write("dy!");
    await until(() => bodies(received()).length === 3_001);
    expect(bodies(received()).slice(-2)).toEqual(["/2999", "/lastbody!"]);
  });
});

describe("a client that does not read", () => {
  it("is disconnected, and its other requests are not handled", async () => {
    let started = 0;
    const { client } = await serve(
      (_, response) => {
        started += 1;
        response.end(Buffer.alloc(32 * 1024 * 1024));
      },
      { pipelined: 2, sendTimeout: 50 },
    );
    client.pause();
    client.write(requests(10));
    const [socket] = (await once(server, "connection")) as [Socket];
    await once(socket, "close");
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(started).toBe(2);
  });

  it("is not disconnected while the response is not ready", async () => {
    const { client, received } = await serve(
      (_, response) => {
        // The socket has a timeout, as if another response had been sent slowly.
        response.socket?.setTimeout(20).once("timeout", () => response.end("<late>"));
      },
      { sendTimeout: 20 },
    );
    client.write(requests(1));
    await until(() => received().includes("<late>"));
    expect(client.destroyed).toBe(false);
  });
});

describe("a connection without requests", () => {
  it("is closed when the keep-alive timeout is over", async () => {
    const { client } = await serve((_, response) => response.end("<done>"));
    server.keepAliveTimeout = 20;
    client.write(requests(1));
    await once(client, "close");
  });
});
