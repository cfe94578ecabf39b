import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as PgClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bin } from "../../packages/cli/test/bin.js";
import { blocksOf } from "../docs/markdown.js";
import { runCommand } from "../security/run-command.js";
import { type DevProcess, startDev } from "../security/dev-process.js";
import { RawClient } from "./raw-client.js";
import { connectStdio, dataOf, serverCommand, type StdioClient, type StdioSetup } from "./stdio-client.js";

/** The parts of the configuration of a client that say how it starts servers. */
type ClientConfig = Partial<Record<"mcpServers" | "servers", Record<string, { readonly args: string[] }>>>;

let dev: DevProcess;
let root: string;
let folder: string;
let projectId: string;
const opened: { close: () => Promise<void> }[] = [];

const mgmt = (line: string) => runCommand(line, { cwd: folder, env: { MGMT_CONFIG_DIR: dev.configDir } });

beforeAll(async () => {
  dev = await startDev();
  root = realpathSync(mkdtempSync(join(tmpdir(), "mgmt-mcp-")));
  folder = root;
  expect(await mgmt("dev agent -o json")).toMatchObject({ status: 0, json: { profile: "agent" } });
});
afterAll(async () => {
  await dev.stop();
  rmSync(root, { recursive: true });
});
beforeEach(async () => {
  folder = mkdtempSync(join(root, "app-"));
  projectId = ((await mgmt("projects create shop -o json --wait")).json as { id: string }).id;
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});

const setup = (...flags: string[]): StdioSetup => ({
  cwd: folder,
  env: { MGMT_CONFIG_DIR: dev.configDir, XDG_STATE_HOME: root },
  flags: ["--profile", "agent", "--audit-file", "audit.jsonl", "--project", projectId, ...flags],
});

const connect = async (...flags: string[]): Promise<StdioClient> => {
  const client = await connectStdio(setup(...flags));
  opened.push(client);
  return client;
};

/** Opens the database that the env file names, and returns a value of its session. */
const connectWithEnvFile = async (name: string): Promise<unknown> => {
  const [, url = ""] = /^DATABASE_URL="(.+)"$/m.exec(readFileSync(join(folder, name), "utf8")) ?? [];
  const address = new URL(url);
  address.searchParams.delete("sslmode");
  const client = new PgClient({ connectionString: address.href, ssl: { rejectUnauthorized: false } });
  await client.connect();
  try {
    return (await client.query<{ one: number }>("SELECT 1 AS one")).rows[0]?.one;
  } finally {
    await client.end();
  }
};

it("serves the clients of both versions of the SDK the same tools and results", async () => {
  const newer = await connect();
  const older = new OlderClient({ name: "older", version: "1.0.0" });
  await older.connect(new OlderTransport({ ...serverCommand(setup()), stderr: "ignore" }));
  opened.push(older);
  const { tools } = await older.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    (await newer.client.listTools()).tools.map(({ name }) => name),
  );
  const result = await older.callTool({ name: "databases_list", arguments: {} });
  expect(dataOf(result as Parameters<typeof dataOf>[0])).toEqual(await newer.call("databases_list"));
  expect(result.content).toMatchObject([{ type: "text", text: expect.stringContaining(projectId) }]);
});

describe("the guide", () => {
  const blocks = blocksOf("docs/guides/mcp.md").filter(({ use }) => use === "client");
  const commands = blocks.flatMap(({ text }) => text.split("\n").filter((line) => line.startsWith("mgmt ")));
  const files = blocks.filter(({ language }) => language === "json").map(({ text }) => text);

  /** Starts the server as the configuration of a client says. */
  const startAsConfigured = async (text: string): Promise<Record<string, unknown>> => {
    const config = JSON.parse(text.replaceAll("${workspaceFolder}", folder)) as ClientConfig;
    const { args = [] } = (config.mcpServers ?? config.servers)?.["mgmt"] ?? {};
    // Before it may be npx with its own arguments.
    const server = await connectStdio({ ...setup(), flags: args.slice(args.indexOf("mcp") + 1) });
    opened.push(server);
    return server.call("context");
  };
  const asAgent = { credential: { type: "agent_token" }, writes: "with_approval_of_sponsor" };

  it.each([
    [commands[0], ".mcp.json"],
    [commands[1], ".cursor/mcp.json"],
    [commands[2], ".vscode/mcp.json"],
  ])("has a command after which a client can start the server: %s", async (line = "", file) => {
    expect((await mgmt(`${line.replace(/^mgmt /, "")} --yes`)).status).toBe(0);
    expect(await startAsConfigured(readFileSync(join(folder, file), "utf8"))).toMatchObject(asAgent);
  });

  it.each(files)("has a configuration with which a client can start the server", async (text) => {
    expect(await startAsConfigured(text)).toMatchObject({ ...asAgent, workspaceFolder: folder });
  });

  it("has commands for three clients", () => expect([commands.length, files.length]).toEqual([3, 1]));
});

it("creates one database although its process is killed, and writes an env file that works", async () => {
  const args = { logicalId: "reports", envFile: ".env.local" };
  const first = await connectStdio(setup());
  const interrupted = first.call("databases_ensure", args).catch(() => undefined);
  await expect
    .poll(async () => ((await mgmt(`databases list --project-id ${projectId} -o json`)).json as []).length)
    .toBe(2);
  first.kill();
  await interrupted;
  const second = await connect();
  const result = await second.call("databases_ensure", args);
  expect(result).toMatchObject({ status: "ready", writtenTo: ".env.local", envName: "DATABASE_URL" });
  expect(((await mgmt(`databases list --project-id ${projectId} -o json`)).json as []).length).toBe(2);
  expect(statSync(join(folder, ".env.local")).mode & 0o777).toBe(0o600);
  expect(await connectWithEnvFile(".env.local")).toBe(1);
});

describe("query", () => {
  it.each([
    ["one statement that reads", "SELECT 1 AS one, NULL AS nothing", { rows: [{ one: "1", nothing: null }] }],
    ["many rows", "SELECT generate_series(1, 1000)", { truncated: true }],
    ["columns with the same name", "SELECT 1 AS a, 2 AS a", { rows: [{ a: "1", a_2: "2" }] }],
    [
      "columns beside that of a secret",
      "SELECT 'x' AS password, 'a' AS id, '3' AS value",
      { columns: ["password", "id", "value"], rows: [{ id: "a", value: "3" }] },
    ],
    ["no rows", "SELECT 1 WHERE false", { rows: [], truncated: false }],
    [
      "all of 50 rows, and numbers as they are",
      "SELECT 9007199254740993 + i AS i FROM generate_series(1, 50) AS i",
      { rows: Array.from({ length: 50 }, (_, index) => ({ i: String(9007199254740994n + BigInt(index)) })) },
    ],
  ])("runs %s", async (_, sql, expected) => {
    const { call } = await connect();
    const { items } = await call("databases_list");
    const [{ id: databaseId }] = items as [{ id: string }];
    expect(await call("query", { databaseId, sql })).toMatchObject(expected);
  });

  it("returns what fits into the context of a model, and says that there is more", async () => {
    const { call } = await connect();
    const { items } = await call("databases_list");
    const [{ id: databaseId }] = items as [{ id: string }];
    const wide = Array.from({ length: 400 }, (_, index) => `repeat('x', 5000) AS column_${String(index)}`);
    for (const sql of [`SELECT ${wide.join(", ")}`, "SELECT repeat('x', 5000) FROM generate_series(1, 90)"]) {
      const result = await call("query", { databaseId, sql });
      expect(result["truncated"]).toBe(true);
      expect(JSON.stringify(result).length).toBeLessThan(60_000);
    }
  });

  it.each([
    ["two statements", "SELECT 1; SELECT 2", /42601/],
    ["the end of the transaction before a change", "COMMIT; CREATE TABLE a ()", /42601/],
    ["a change", "CREATE TABLE a ()", /25006/],
    ["a change in a block", "DO $$ BEGIN EXECUTE 'CREATE TABLE a ()'; END $$", /25006/],
    ["a transaction that may write", "SET TRANSACTION READ WRITE", /25001/],
    ["the setting for that", "SELECT set_config('transaction_read_only', 'off', false)", /25001/],
    ["a program", "COPY (SELECT 1) TO PROGRAM 'id'", /42501/],
    ["rows outside of the protocol", "COPY (SELECT 1) TO STDOUT", /COPY/],
    ["a value that is too large", "SELECT repeat('x', 50000000)", /too large/],
    ["a syntax error", "SELEC", /42601/],
  ])("refuses %s", async (_, sql, message) => {
    const { call } = await connect();
    const { items } = await call("databases_list");
    const [{ id: databaseId }] = items as [{ id: string }];
    expect(await call("query", { databaseId, sql })).toMatchObject({
      status: "error",
      error: { message: expect.stringMatching(message) },
    });
    expect(
      await call("query", { databaseId, sql: "SELECT count(*) FROM pg_tables WHERE tablename = 'a'" }),
    ).toMatchObject({
      rows: [{ count: "0" }],
    });
  });
});

it("deletes a database once the sponsor has approved it in another process", async () => {
  const { id } = (await mgmt(`databases create spare --project-id ${projectId} --wait -o json`)).json as {
    id: string;
  };
  const { call, transcript } = await connect();
  const refused = await call("databases_delete", { databaseId: id });
  expect(refused).toMatchObject({ status: "approval_required" });
  const waiting = call("approval_wait", { approvalId: refused["approvalId"] });
  expect((await mgmt(`dev approvals approve ${String(refused["approvalId"])}`)).status).toBe(0);
  expect(await waiting).toMatchObject({ status: "approved" });
  expect(await call("databases_delete", { databaseId: id })).toMatchObject({ status: "done" });
  expect((await mgmt(`databases get ${id}`)).status).toBe(6);
  expect(transcript()).not.toMatch(/postgres(?:ql)?:\/\/[^\s"]*:[^\s"]*@/);
});

it("refuses an env file that git tracks, and creates nothing", async () => {
  execFileSync("git", ["init", "-q"], { cwd: folder });
  execFileSync("touch", [".env"], { cwd: folder });
  execFileSync("git", ["add", ".env"], { cwd: folder });
  const { call } = await connect();
  for (const envFile of [".env", "../.env"]) {
    expect(await call("databases_ensure", { logicalId: "x", envFile })).toMatchObject({ status: "error" });
  }
  expect(existsSync(join(root, ".env"))).toBe(false);
  expect(((await mgmt(`databases list --project-id ${projectId} -o json`)).json as []).length).toBe(1);
});

it.each([
  [["--readonly"], "Did you mean --read-only?"],
  [["--project-limit", "a"], "Unknown option '--project-limit'"],
  [["--tools", "some"], "--tools"],
  [["--read-only", "false"], "argument"],
  [["surplus"], "argument"],
])("exits with 2 for %j, rather than serve with other rights", (flags, message) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [bin, "mcp", ...flags], {
    cwd: folder,
    input: "",
    encoding: "utf8",
    env: { PATH: process.env["PATH"], MGMT_CONFIG_DIR: dev.configDir },
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: "",
    stderr: expect.stringContaining(message),
  });
});

it("answers malformed requests, and serves on", async () => {
  const client = await RawClient.start(setup(), () => undefined);
  opened.push({ close: () => client.kill() });
  const requests: readonly [message: object, code: number][] = [
    [{ method: "tools/call", params: null }, -32_602],
    [{ method: "tools/call" }, -32_602],
    [{ method: "tools/call", params: [] }, -32_602],
    [{ method: "tools/call", params: "context" }, -32_602],
    [{ method: "tools/call", params: {} }, -32_602],
    [{ method: "tools/call", params: { name: 3 } }, -32_602],
    [{ method: "tools/call", params: { name: "context", arguments: "a" } }, -32_602],
    [{ method: "tools/call", params: { name: "context", arguments: [] } }, -32_602],
    [{ method: "tools/call", params: { name: "explode" } }, -32_602],
    [{ method: "tools/call", params: { name: "context", _meta: 3 } }, -32_602],
    [{ method: 3 }, -32_600],
    [{}, -32_600],
    [{ method: "ping", surplus: 1 }, -32_600],
    [{ method: "tools/explode" }, -32_601],
  ];
  for (const [message, code] of requests) {
    const answer = client.response(901);
    client.send({ id: 901, ...message });
    expect({ message, code: (await answer).error?.code }).toEqual({ message, code });
  }
  expect(await client.call("context")).toHaveProperty("version");
});

it("ends when the client closes standard input", () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [bin, "mcp", "--audit-file", join(folder, "a.jsonl")],
    {
      cwd: folder,
      input: "",
      encoding: "utf8",
      timeout: 20_000,
      env: { PATH: process.env["PATH"], MGMT_CONFIG_DIR: dev.configDir },
    },
  );
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});
