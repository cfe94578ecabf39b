import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type Server, type Socket, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConnectionFaults, DatabaseUnavailableError } from "@mgmt/engine";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DatabaseDirectory, PostgresProxy, type PostgresProxyOptions } from "./postgres-proxy.js";
import { encodeError } from "./error-response.js";
import { parseFirstMessage } from "./first-message.js";
import { chooseStablePort } from "../machine/ports.js";
import { loadServerCredentials } from "../machine/tls/server-credentials.js";
import {
  RawClient,
  errorFields,
  firstMessage,
  gssRequest,
  request,
  sslRequest,
} from "../../test/proxy/wire.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-proxy-"));
const path = join(folder, "postgres.sock");
/** Postgres asks for a password, and accepts any. */
const challenge = Buffer.from("R\0\0\0\x08\0\0\0\x03", "latin1");
const accepted = Buffer.from("R\0\0\0\x08\0\0\0\0", "latin1");
const signedIn = Buffer.concat([challenge, accepted]);
const askForPassword = (session: Socket): void => {
  session.write(challenge);
  session.once("data", () => session.write(accepted));
};
const unavailable = encodeError(["SFATAL", "VFATAL", "C57P03", "Mstarting up"]);

/** The program in place of Postgres: the first messages that it has received, and its response to them. */
let received: Buffer[];
let respond: (session: Socket) => void;
let postgres: Server;
let credentials: PostgresProxyOptions["credentials"];
let proxy: PostgresProxy | undefined;
let defects: unknown[];
const clients = new Set<RawClient>();

beforeAll(async () => {
  credentials = await loadServerCredentials(join(folder, "tls"), { isDurable: false });
  postgres = createServer((session) => {
    session
      .on("error", () => undefined)
      .once("data", (bytes) => {
        received.push(bytes);
        respond(session);
      });
  }).listen(path);
  await once(postgres, "listening");
});
beforeEach(() => {
  received = [];
  defects = [];
  respond = askForPassword;
});
afterEach(async () => {
  for (const client of clients) client.socket.destroy();
  clients.clear();
  await proxy?.close();
  proxy = undefined;
  expect(defects).toEqual([]);
});
afterAll(async () => {
  postgres.close();
  await rm(folder, { recursive: true });
});

const databases: DatabaseDirectory = {
  findDatabase: (user) => (user.startsWith("role_") ? "db_a" : undefined),
  findApiName: () => Promise.resolve("shop"),
  findTerminationReason: () => undefined,
};

const listen = async (
  options: Partial<PostgresProxyOptions> = {},
  directory: DatabaseDirectory | null = databases,
): Promise<PostgresProxy> => {
  const started = await PostgresProxy.listen({
    port: await chooseStablePort("127.0.0.1"),
    credentials,
    postgres: { path },
    connectionLimit: null,
    faults: new ConnectionFaults({ random: () => 0, findDatabaseName: (id) => id }),
    onDefect: (error) => defects.push(error),
    ...options,
  });
  proxy = started;
  if (directory !== null) started.open(directory);
  return started;
};

const connect = async ({ port }: PostgresProxy, bytes?: Buffer): Promise<RawClient> => {
  const client = await RawClient.connect(port);
  clients.add(client);
  if (bytes) client.send(bytes);
  return client;
};

const startup = (user = "role_a", database?: string): Buffer =>
  firstMessage([["user", user], ...(database === undefined ? [] : [["database", database] as const])]);

/** Connects, and sends a password when Postgres asks for it. */
const signIn = async (proxy: PostgresProxy, bytes = startup()): Promise<RawClient> => {
  const client = await connect(proxy, bytes);
  await client.receive(challenge.length);
  return client.send("p");
};

/** Connects, and waits until Postgres has accepted the client. */
const enter = async (proxy: PostgresProxy, bytes = startup()): Promise<RawClient> => {
  const client = await signIn(proxy, bytes);
  expect(await client.receive(signedIn.length)).toEqual(signedIn);
  return client;
};

/** Returns the error at the end of what the client has received. */
const errorIn = (bytes: Buffer): Record<string, string> | undefined =>
  errorFields(bytes.subarray(bytes.indexOf(challenge) === 0 ? challenge.length : 0));

/** Returns the error code with which the proxy ends the connection; undefined without one. */
const rejectionOf = async (client: RawClient): Promise<string | undefined> =>
  errorIn(await client.closed)?.["C"];

describe("the database that a client reaches", () => {
  it.each([
    ["its own for a login that names none", undefined],
    ["its own for the name postgres", "postgres"],
    ["its own for the name of the login", "role_a"],
    ["its own for its name in Postgres", "db_a"],
    ["its own for its name in the API", "shop"],
  ])("is %s", async (_, database) => {
    await enter(await listen(), startup("role_a", database));
    expect(parseFirstMessage(received[0] ?? Buffer.alloc(0))?.message).toMatchObject({
      user: "role_a",
      database: "db_a",
    });
  });

  it("is none for another name, which only a client with the password learns", async () => {
    const started = await listen();
    const client = await signIn(started, startup("role_a", "other"));
    const error = errorIn(await client.closed);
    expect(error).toMatchObject({ C: "3D000", M: 'database "other" does not exist' });
    expect(received).toHaveLength(1);
  });

  it("is the one that an unknown user asks for, whom Postgres refuses", async () => {
    await enter(await listen(), startup("nobody", "secret"));
    expect(received).toEqual([startup("nobody", "secret")]);
  });
});

describe("the limit of connections", () => {
  it("counts the accepted connections of a database, and ends with them", async () => {
    const started = await listen({ connectionLimit: 1 });
    const first = await enter(started);
    expect(await rejectionOf(await signIn(started))).toBe("53300");
    await enter(started, startup("nobody"));
    first.socket.destroy();
    await first.closed;
    // The proxy learns of the end a turn later.
    for (let code: string | undefined = "53300"; code !== undefined;) {
      const client = await signIn(started);
      code = await Promise.race([
        client.receive(signedIn.length).then((bytes) => errorIn(bytes)?.["C"]),
        rejectionOf(client),
      ]);
    }
  });

  it("refuses a client that signs in when another one has just taken the last place", async () => {
    const started = await listen({ connectionLimit: 1 });
    const [first, second] = [await connect(started, startup()), await connect(started, startup())];
    for (const client of [first, second]) await client.receive(challenge.length);
    first.send("p");
    await first.receive(signedIn.length);
    expect(await rejectionOf(second.send("p"))).toBe("53300");
  });

  it("does not count clients that Postgres has not accepted", async () => {
    const started = await listen({ connectionLimit: 1 });
    respond = (session) => void session.write(challenge);
    for (let index = 0; index < 3; index += 1) await signIn(started);
  });

  it("is the one from the start after a reset", async () => {
    const started = await listen({ connectionLimit: 7 });
    started.connectionLimit = 1;
    started.reset();
    expect(started.connectionLimit).toBe(7);
  });
});

describe("a client that is refused", () => {
  it.each([
    ["that has another protocol", firstMessage([["user", "a"]], 0x0002_0000), "0A000"],
    ["that asks for TLS and sends more", Buffer.concat([sslRequest, Buffer.from("x")]), "08P01"],
  ])("is one %s", async (_, bytes, code) => {
    const client = await connect(await listen(), bytes);
    expect(await rejectionOf(client)).toBe(code);
  });

  it("is one of HTTP, in its protocol", async () => {
    const client = await connect(await listen(), Buffer.from("GET / HTTP/1.1\r\n\r\n"));
    expect((await client.closed).toString()).toMatch(/^HTTP\/1\.1 400 .*has another port\.\n$/s);
  });

  it("is one that asks for GSS again, after the first was declined", async () => {
    const client = await connect(await listen(), gssRequest);
    expect((await client.receive(1)).toString()).toBe("N");
    client.send(gssRequest);
    expect((await client.closed).subarray(1).toString()).toContain("C08P01");
  });

  it("is one whose database is not available in time", async () => {
    const directory = {
      ...databases,
      findDatabase: () => {
        throw new DatabaseUnavailableError("not now");
      },
    };
    const client = await connect(await listen({ timeoutMs: 1 }, directory), startup());
    expect(await rejectionOf(client)).toBe("57P03");
  });

  it("is one that waits for a proxy that does not open in time", async () => {
    const client = await connect(await listen({ timeoutMs: 1 }, null), startup());
    expect(await rejectionOf(client)).toBe("57P03");
  });

  it("is one for which Postgres does not start in time", async () => {
    respond = (session) => void session.end(unavailable);
    const client = await connect(await listen({ timeoutMs: 1 }), startup());
    expect(await rejectionOf(client)).toBe("57P03");
  });

  it("is one that waits when the proxy stops accepting", async () => {
    respond = () => undefined;
    const started = await listen();
    const client = await connect(started, startup());
    while (received.length === 0) await new Promise(setImmediate);
    started.stopAccepting();
    expect(await rejectionOf(client)).toBe("57P01");
    await expect(RawClient.connect(started.port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

it("tries again while Postgres starts", async () => {
  respond = (session) => {
    if (received.length === 3) askForPassword(session);
    else session.end(unavailable);
  };
  await enter(await listen());
  expect(received).toHaveLength(3);
});

it("disconnects a client that sends no complete message in time", async () => {
  const client = await connect(await listen({ greetingTimeoutMs: 1 }), startup().subarray(0, 6));
  expect(await client.closed).toHaveLength(0);
});

it("passes a request to cancel a query on, and closes the connection", async () => {
  respond = (session) => void session.end();
  const cancel = request(80_877_102, Buffer.alloc(8, 1));
  const client = await connect(await listen(), cancel);
  expect(await client.closed).toHaveLength(0);
  expect(received).toEqual([cancel]);
});

it("disconnects the oldest of more than 400 clients that have not signed in, and none that has", async () => {
  const started = await listen();
  const member = await enter(started);
  const oldest = await connect(started);
  for (let index = 0; index < 400; index += 1) await connect(started);
  await oldest.closed;
  expect(member.socket.destroyed).toBe(false);
});

describe("a fault of connections", () => {
  it("refuses new connections with its code", async () => {
    const started = await listen();
    started.faults.add({ effect: "refuse", code: "53400", message: "no" });
    expect(await rejectionOf(await connect(started, startup()))).toBe("53400");
    started.reset();
    await enter(started);
  });

  it("drops new connections, and those that are open", async () => {
    const started = await listen();
    const open = await enter(started);
    started.faults.add({ effect: "drop" });
    await open.closed;
    expect(await (await connect(started, startup())).closed).toHaveLength(0);
  });
});

it("reports an error that should not happen, and disconnects the client", async () => {
  const defect = new Error("defect");
  const directory = { ...databases, findDatabase: () => Promise.reject(defect) };
  const client = await connect(await listen({}, directory), startup());
  expect(await client.closed).toHaveLength(0);
  expect(defects.splice(0)).toEqual([defect]);
});
