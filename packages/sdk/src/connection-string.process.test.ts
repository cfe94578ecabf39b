import { execFile, execFileSync } from "node:child_process";
import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { parseEnv } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import {
  type ConnectableConnection,
  type ConnectionFormat,
  InvalidArgumentError,
  connectionString,
  createClient,
} from "@mgmt/sdk";

/** What a client sent to log in. */
interface Login {
  readonly user: string | undefined;
  readonly database: string | undefined;
  readonly password: string;
}

let server: Server;
let port: number;
let received: Login | undefined;
beforeAll(async () => {
  // Asks every client for its password in clear text, notes what it sends, and refuses it.
  server = createServer((socket) => {
    let startup: Buffer | undefined;
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      if (!startup) {
        startup = data;
        socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        return;
      }
      const words = startup.subarray(8).toString("utf8").split("\0");
      const valueOf = (name: string): string | undefined => words[words.indexOf(name) + 1];
      const password = data.subarray(5, -1).toString("utf8");
      received = { user: valueOf("user"), database: valueOf("database"), password };
      const rejection = Buffer.from("SFATAL\0C28P01\0Mno\0\0");
      const header = Buffer.from([0x45, 0, 0, 0, rejection.length + 4]);
      socket.end(Buffer.concat([header, rejection]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a host has an address of this form.
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());

const accounts = [
  ["plain", "plain"],
  ["user@example.com", "p@ss:w/rd?#&=+ %41"],
  ["it's", `"quoted" 'single' \\back\\slash\\`],
  ["$HOME `id` !x", "$(id)\\$x*~()[]{}<>|;"],
  ["jörg", "пароль 密码 🔑"],
  ["a b", " leading and trailing "],
] as const;

/** A connection as a list has it, with a password. */
const to = (
  [user, pass]: readonly [string, string],
  host = `127.0.0.1:${String(port)}`,
): ConnectableConnection => ({
  directConnection: { host, user, pass },
  endpoints: { pooled: { host: "127.0.0.1", port } },
});

const formats = ["uri", "prisma", "jdbc", "dsn", "env"] as const satisfies readonly ConnectionFormat[];

/** Returns what psql sends for a connection string. */
const sentByPsql = async (target: string): Promise<Login | undefined> => {
  received = undefined;
  // The environment of the tests may have settings of libpq.
  const env = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" };
  await new Promise<void>((resolve) => {
    execFile("psql", ["--no-psqlrc", target], { env }, () => resolve());
  });
  return received;
};

describe.each(accounts)("the connection string of user %j", (...account) => {
  const [user, password] = account;
  const expected = { user, database: "postgres", password };

  it("is read by psql as a URI, also with what Prisma needs removed, and as keywords and values", async () => {
    expect(await sentByPsql(connectionString(to(account)))).toEqual(expected);
    expect(await sentByPsql(connectionString(to(account), { format: "dsn" }))).toEqual(expected);
    const prisma = new URL(connectionString(to(account), { pooled: true, format: "prisma" }));
    expect(Object.fromEntries(prisma.searchParams)).toEqual({
      sslmode: "disable",
      connect_timeout: "30",
      pool_timeout: "30",
      pgbouncer: "true",
    });
    for (const own of ["pool_timeout", "pgbouncer"]) prisma.searchParams.delete(own);
    expect(await sentByPsql(prisma.href)).toEqual(expected);
  });

  it("is read by node-postgres", async () => {
    received = undefined;
    const client = new pg.Client({ connectionString: connectionString(to(account)) });
    await expect(client.connect()).rejects.toMatchObject({ code: "28P01" });
    expect(received).toEqual(expected);
  });

  it("is read as the properties of JDBC", () => {
    const [address = "", query = ""] = connectionString(to(account), { format: "jdbc" }).split("?");
    expect(address).toBe(`jdbc:postgresql://127.0.0.1:${String(port)}/postgres`);
    // Decodes as java.net.URLDecoder does, for which a plus sign is a space.
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({ user, password, sslmode: "disable" });
  });

  it("is read from an env file and by a shell", () => {
    const line = connectionString(to(account), { format: "env" });
    expect(parseEnv(line)).toEqual({ DATABASE_URL: connectionString(to(account)) });
    const script = `${line}\nprintf %s "$DATABASE_URL"`;
    expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toBe(connectionString(to(account)));
  });
});

describe("a connection string", () => {
  it.each(formats)("is one line, and leaves out the usual port in URLs: %s", (format) => {
    const text = connectionString(to(["a", "b"], "db.example.com"), { format });
    expect(text).not.toContain("\n");
    expect(text).toMatch(format === "dsn" ? /port='5432'/ : /db\.example\.com\/postgres\?/);
  });

  it("has brackets around an IPv6 address in URLs only", () => {
    const local = to(["a", "b"], "[::1]:6543");
    expect(new URL(connectionString(local))).toMatchObject({ hostname: "[::1]", port: "6543" });
    expect(connectionString(local, { format: "dsn" })).toContain("host='::1' port='6543'");
  });

  it("is that of a connection of the service, however the service returned it", async () => {
    const mock = setupMock({ deterministic: "connection-string" });
    const client = createClient({
      baseUrl: mock.baseUrl,
      fetch: mock.fetch,
      token: await mock.tokens.user(),
    });
    const { database } = await client.projects.create({ name: "shop" });
    const made = await client.databases.connections.create(database?.id ?? "", { name: "web" });
    const read = await client.connections.get(made.id);
    expect(connectionString(made)).toBe(connectionString(read));
    expect(new URL(connectionString(read)).password).toBe(made.pass);
    const { directConnection: _, ...older } = made;
    expect(connectionString(older)).toBe(connectionString(read));
    const pooled = new URL(connectionString(read, { pooled: true }));
    expect(pooled.hostname).toBe(read.endpoints.pooled?.host);
    expect(pooled.port).toBe(String(read.endpoints.pooled?.port));
  });

  it("requires TLS unless the database is on this machine", () => {
    const modeFor = (host: string) =>
      new URL(connectionString(to(["a", "b"], host))).searchParams.get("sslmode");
    expect(["localhost:5432", "127.0.0.1", "db.example.com"].map(modeFor)).toEqual([
      "disable",
      "disable",
      "require",
    ]);
  });

  it.each([
    ["no password", { directConnection: null }, {}, "connection has no password that can be read"],
    ["nothing", {}, {}, "connection has no password that can be read"],
    [
      "no pooler",
      { directConnection: { host: "h", user: "u", pass: "p" }, endpoints: {} },
      { pooled: true },
      "pooled is true, but the connection has no pooled endpoint",
    ],
    [
      "a host that is none",
      { directConnection: { host: "a b/", user: "u", pass: "secret" } },
      {},
      "connection has a host that is not valid",
    ],
    [
      "a port of a pooler that is none",
      {
        directConnection: { host: "h", user: "u", pass: "secret" },
        endpoints: { pooled: { host: "h", port: NaN } },
      },
      { pooled: true },
      "connection has a host that is not valid",
    ],
    [
      "an unknown form",
      { directConnection: { host: "h", user: "u", pass: "p" } },
      { format: "toString" },
      "format must be one of uri, prisma, jdbc, dsn, env",
    ],
    [
      "a misspelled option",
      { directConnection: { host: "h", user: "u", pass: "p" } },
      { pool: true },
      "pool is not an option of connectionString; did you mean pooled?",
    ],
  ])("is refused for %s, without the password in the error", (_what, connection, options, message) => {
    // JavaScript callers can pass anything.
    const build = () => connectionString(connection, options as { pooled: boolean });
    expect(build).toThrow(InvalidArgumentError);
    expect(build).toThrow(message);
    expect(build).not.toThrow(/secret/);
  });

  it.each([
    "user@h",
    "h/path",
    "h?sslmode=disable",
    "h#x",
    "h:",
    "h:0",
    "h:65536",
    "h:5432 ",
    "h,other",
    "[::1",
  ])("is refused for the host %j", (host) => {
    expect(() => connectionString(to(["u", "p"], host))).toThrow("connection has a host that is not valid");
  });
});
