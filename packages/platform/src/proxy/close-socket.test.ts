import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { once } from "node:events";
import { type Server, Socket, connect as connectTcp, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { TLSSocket, connect as connectTls } from "node:tls";
import { ConnectionFaults } from "@mgmt/engine";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { PostgresProxy } from "./postgres-proxy.js";
import { chooseStablePort } from "../machine/ports.js";
import { loadServerCredentials } from "../machine/tls/server-credentials.js";
import { firstMessage, sslRequest } from "../../test/proxy/wire.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-endings-"));
const path = join(folder, "postgres.sock");
const startup = firstMessage([["user", "anybody"]]);
const ready = "R";
const lastWords = "last words";
const large = 3_000_000;

/** What a program in place of Postgres does with a session once it has received its startup message. */
let serve: (session: Socket) => void = () => undefined;
const sessions = new Set<Socket>();
let postgres: Server;
let proxy: PostgresProxy;
/** Number of connections of this process while there are no clients. */
let idleConnections = 0;

beforeAll(async () => {
  postgres = createServer({ allowHalfOpen: true }, (session) => {
    sessions.add(session);
    session.on("error", () => undefined).on("close", () => sessions.delete(session));
    session.once("data", () => {
      session.pause();
      session.write(ready, () => serve(session));
    });
  }).listen(path);
  await once(postgres, "listening");
  proxy = await PostgresProxy.listen({
    port: await chooseStablePort("127.0.0.1"),
    credentials: await loadServerCredentials(join(folder, "tls"), { isDurable: false }),
    postgres: { path },
    connectionLimit: null,
    faults: new ConnectionFaults({ random: () => 0, findDatabaseName: (id) => id }),
    onDefect: (error) => {
      throw error;
    },
  });
  proxy.open({
    findDatabase: () => undefined,
    findApiName: () => Promise.resolve(undefined),
    findTerminationReason: () => undefined,
  });
  idleConnections = connections();
});

afterEach(() => {
  vi.restoreAllMocks();
  for (const session of sessions) session.destroy();
});

afterAll(async () => {
  await proxy.close();
  postgres.close();
  await rm(folder, { recursive: true });
});

const connect = async (isEncrypted: boolean): Promise<Socket> => {
  const raw = connectTcp({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
  raw.on("error", () => undefined);
  await once(raw, "connect");
  if (!isEncrypted) return raw;
  raw.write(sslRequest);
  await once(raw, "data");
  const client = connectTls({ socket: raw, rejectUnauthorized: false });
  client.on("error", () => undefined);
  await once(client, "secureConnect");
  return client;
};

/** Connects, and waits until the proxy passes bytes on. */
const enter = async (isEncrypted: boolean): Promise<{ client: Socket; session: Socket }> => {
  const entered = new Promise<Socket>((resolve) => (serve = resolve));
  const client = await connect(isEncrypted);
  client.write(startup);
  await once(client, "data");
  client.pause();
  return { client, session: await entered };
};

/** Reads until the other side has ended or closed the connection. */
const received = async (socket: Socket): Promise<string> => {
  const parts: Buffer[] = [];
  const ended =
    socket.closed || socket.readableEnded || Promise.race([once(socket, "close"), once(socket, "end")]);
  socket.on("data", (bytes: Buffer) => parts.push(bytes)).resume();
  await ended;
  return Buffer.concat(parts).toString("latin1");
};

/** Waits until a condition is true, without timers. */
const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await setImmediate();
};

/** Waits for a number of turns of the event loop. */
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
};

/** Number of connections of this process, those of the proxy included. */
const connections = (): number =>
  process.getActiveResourcesInfo().filter((type) => type === "TCPSocketWrap" || type === "PipeWrap").length;

/** Ways to end a connection. */
const endings = {
  ends: (socket) => void socket.end(),
  closes: (socket) => void socket.destroy(),
  resets: (socket) => {
    // A socket file has no reset: it tells of bytes that were not read.
    if (socket instanceof TLSSocket || sessions.has(socket)) socket.destroy();
    else socket.resetAndDestroy();
  },
} satisfies Record<string, (socket: Socket) => void>;

type Ending = keyof typeof endings;

const all = Object.keys(endings).filter((name): name is Ending => name in endings);

const orders = ["client first", "Postgres first", "both at once"] as const;

const combinations = all.flatMap((client) =>
  all.flatMap((server) => orders.map((order) => [client, server, order] as const)),
);

describe.each([
  ["a plain client", false],
  ["an encrypted client", true],
])("%s", (_client, isEncrypted) => {
  it.each<[string, (sides: { client: Socket; session: Socket }) => Promise<void> | void]>([
    ["is idle", () => undefined],
    ["has closed its direction", ({ client }) => void client.end()],
    [
      "has sent what Postgres does not read",
      async ({ client, session }) => {
        client.write("unread");
        await once(session, "readable");
      },
    ],
    [
      "sends when Postgres has closed the connection",
      ({ client, session }) => {
        session.once("close", () => client.write("late"));
      },
    ],
    [
      "sends all the time",
      ({ client }) => {
        const send = (): void => {
          if (!client.writable) return;
          client.write("more", () => setImmediate().then(send, () => undefined));
        };
        send();
      },
    ],
  ])("receives the last bytes of Postgres when it %s", async (_case, prepare) => {
    const { client, session } = await enter(isEncrypted);
    await prepare({ client, session });
    session.write(lastWords, () => session.destroy());
    expect(await received(client)).toBe(lastWords);
    client.destroy();
    await until(() => sessions.size === 0);
  });

  it("receives many last bytes that it reads slowly", async () => {
    const { client, session } = await enter(isEncrypted);
    session.end(Buffer.alloc(large, "x"));
    client.resume().pause();
    await setImmediate();
    expect(await received(client)).toHaveLength(large);
    client.destroy();
    await until(() => sessions.size === 0);
  });

  it.each(["ends", "closes"] as const)(
    "has its last bytes delivered when it %s the connection",
    async (ending) => {
      const { client, session } = await enter(isEncrypted);
      client.write(Buffer.alloc(large, "x"), () => endings[ending](client));
      if (ending === "closes") await once(client, "close");
      expect(await received(session)).toHaveLength(large);
      session.destroy();
      if (ending === "ends") client.destroy();
      await until(() => sessions.size === 0);
    },
  );

  it.each(combinations)("%s, Postgres %s, %s: nothing is left", async (client, server, order) => {
    const [started, ended] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
    const sides = await enter(isEncrypted);
    sides.client.resume();
    sides.session.resume();
    const [endClient, endServer] = [
      () => endings[client](sides.client),
      () => endings[server](sides.session),
    ];
    const [first, second] = order === "Postgres first" ? [endServer, endClient] : [endClient, endServer];
    first();
    if (order !== "both at once") await turns(5);
    second();
    await until(() => sides.client.closed && sessions.size === 0 && connections() <= idleConnections);
    await turns(20);
    const endedTimers = new Set(ended.mock.calls.map(([timer]) => timer));
    expect(started.mock.results.filter(({ value }) => !endedTimers.has(value))).toEqual([]);
    expect(endedTimers.size).toBeGreaterThan(0);
  });
});
