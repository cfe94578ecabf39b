import { createHook } from "node:async_hooks";
import { EventEmitter, once } from "node:events";
import { type Server, createServer as createHttpServer } from "node:http";
import { type AddressInfo, BlockList, type Socket, connect } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type RunningServer, createServer } from "@mgmt/engine/http";

let server: RunningServer;
let minimal: Server;
let token: string;
const clients: Socket[] = [];

beforeAll(async () => {
  server = await createServer();
  token = await server.engine.tokens.service();
  minimal = createHttpServer((_, response) => {
    response.writeHead(200, { "content-length": "2" });
    response.end("{}");
  });
  await once(minimal.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  minimal.close();
  await server.close();
});

const connectTo = async (port: number): Promise<Socket> => {
  const client = connect(port, "127.0.0.1").setEncoding("utf8");
  clients.push(client);
  await once(client, "connect");
  return client;
};

/** Sends a request for a list, and waits for the whole response. */
const listProjects = (client: Socket): Promise<void> =>
  new Promise((resolve) => {
    let text = "";
    const take = (chunk: string): void => {
      text += chunk;
      const [head = "", body] = text.split("\r\n\r\n");
      if (body?.length !== Number(/content-length: (\d+)/.exec(head)?.[1])) return;
      client.off("data", take);
      resolve();
    };
    client.on("data", take);
    const host = `127.0.0.1:${String(client.remotePort)}`;
    const headers = `host: ${host}\r\nauthorization: Bearer ${token}`;
    client.write(`GET /v1/projects HTTP/1.1\r\n${headers}\r\n\r\n`);
  });

interface Costs {
  timers: number;
  promises: number;
  listeners: number;
  addressChecks: number;
}

const costsOfOne = async (client: Socket): Promise<Costs> => {
  const created = { Timeout: 0, PROMISE: 0 };
  const hook = createHook({
    init: (_id, type) => {
      if (type === "Timeout" || type === "PROMISE") created[type] += 1;
    },
  });
  const listening = [
    vi.spyOn(EventEmitter.prototype, "on"),
    vi.spyOn(EventEmitter.prototype, "once"),
    vi.spyOn(EventEmitter.prototype, "addListener"),
  ];
  const check = vi.spyOn(BlockList.prototype, "check");
  hook.enable();
  await listProjects(client);
  hook.disable();
  const costs = {
    timers: created.Timeout,
    promises: created.PROMISE,
    // `once` calls `on`.
    listeners: Math.max(...listening.map(({ mock }) => mock.calls.length)),
    addressChecks: check.mock.calls.length,
  };
  vi.restoreAllMocks();
  return costs;
};

/** Returns the lowest counts of several requests, because other code of the process counts too. */
const costsOn = async (port: number): Promise<Costs> => {
  const client = await connectTo(port);
  // The first request of a connection, and the first use of a token, cost more.
  await listProjects(client);
  const all: Costs[] = [];
  for (let count = 0; count < 10; count += 1) all.push(await costsOfOne(client));
  const least = (name: keyof Costs): number => Math.min(...all.map((each) => each[name]));
  return {
    timers: least("timers"),
    promises: least("promises"),
    listeners: least("listeners"),
    addressChecks: least("addressChecks"),
  };
};

it("adds one listener, and neither timer nor promise, to what node:http needs for a request", async () => {
  const needed = await costsOn((minimal.address() as AddressInfo).port);
  expect(needed).toMatchObject({ addressChecks: 0 });
  expect(await costsOn(server.port)).toEqual({ ...needed, listeners: needed.listeners + 1 });
});
