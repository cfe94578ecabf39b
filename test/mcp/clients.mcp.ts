import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RawClient } from "./raw-client.js";
import { serverCommand, type StdioSetup } from "./stdio-client.js";
import { World } from "./tasks/world.js";

// What clients do that others have reported as faults of servers.

let world: World;
let folder: string;
let projectId: string;
const opened: RawClient[] = [];

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  folder = world.makeFolder();
  projectId = (await world.control<{ id: string }>("POST", "/seed/project", { name: "shop" })).id;
});
afterEach(async () => {
  for (const client of opened.splice(0)) await client.kill();
});

const setup = (...flags: string[]): StdioSetup => ({
  cwd: folder,
  env: world.env,
  flags: ["--profile", "agent", "--project", projectId, "--audit-file", "audit.jsonl", ...flags],
});

const start = async (options: StdioSetup = setup(), capabilities: object = {}): Promise<RawClient> => {
  const client = await RawClient.start(options, world.record, capabilities);
  opened.push(client);
  return client;
};

const databases = () => world.list(`/v1/databases?projectId=${projectId}`);

describe("a message", () => {
  it.each<[string, string]>([
    ["that is no JSON", "hello"],
    ["that is no request", "[]"],
    ["without a method", '{"jsonrpc":"2.0","id":900}'],
    ["with an unknown method", '{"jsonrpc":"2.0","id":901,"method":"nothing/at/all"}'],
    ["for resources, which there are none of", '{"jsonrpc":"2.0","id":902,"method":"resources/list"}'],
    ["with parameters that are null", '{"jsonrpc":"2.0","id":903,"method":"tools/list","params":null}'],
    ["without the name of a tool", '{"jsonrpc":"2.0","id":904,"method":"tools/call","params":{}}'],
    ["of another version", '{"jsonrpc":"1.0","id":905,"method":"ping"}'],
    ["of one megabyte", JSON.stringify({ jsonrpc: "2.0", id: 906, method: "x".repeat(2 ** 20) })],
    ["that is empty", ""],
  ])("%s does not keep the next call from its answer", async (_, line) => {
    const client = await start();
    client.write(`${line}\n`);
    expect(await client.call("context")).toMatchObject({ credential: { type: "agent_token" } });
  });

  it("may have any character, and be split anywhere", async () => {
    const client = await start();
    const words = "list\u2028\u2029\u0000\ud800é 😀";
    expect(await client.call("operations_search", { words })).toMatchObject({
      operations: expect.any(Array),
    });
    const text = `${JSON.stringify({ jsonrpc: "2.0", id: 990, method: "tools/call", params: { name: "operations_search", arguments: { words: "list é" } } })}\r\n`;
    for (const byte of Buffer.from(text)) client.write(Buffer.from([byte]));
    expect(await client.response(990)).toMatchObject({ result: { structuredContent: expect.any(Object) } });
  });
});

describe("a client", () => {
  it("may call tools at the same time, and creates one database", async () => {
    const client = await start();
    const calls = Array.from({ length: 5 }, () => client.call("databases_ensure", { logicalId: "one" }));
    const results = await Promise.all(calls);
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "ready"));
    expect(new Set(results.map(({ databaseId }) => databaseId)).size).toBe(1);
    expect(await databases()).toHaveLength(2);
  });

  it("may start two servers for one folder, and creates one database and one connection", async () => {
    const clients = [await start(), await start()];
    const results = await Promise.all(
      clients.map((client) => client.call("databases_ensure", { logicalId: "one" })),
    );
    expect(new Set(results.map(({ connectionId }) => connectionId)).size).toBe(1);
    expect(await databases()).toHaveLength(2);
  });

  it("may cancel a call, which then has no answer, and make others", async () => {
    const client = await start();
    await world.control("POST", "/faults", { operation: "regions.list", latency: 30_000, times: 1 });
    client.send({ id: 950, method: "tools/call", params: { name: "regions_list", arguments: {} } });
    client.send({ method: "notifications/cancelled", params: { requestId: 950, reason: "test" } });
    client.send({ method: "notifications/cancelled", params: { requestId: "unknown" } });
    expect(await client.call("context")).toMatchObject({ limitedToProject: true });
    expect(client.hasResponse(950)).toBe(false);
    await world.control("DELETE", "/faults");
  });

  it("gets progress for its token, whatever that is", async () => {
    const client = await start();
    for (const progressToken of [0, "", "a b"]) {
      const params = { name: "databases_ensure", arguments: { logicalId: "one" }, _meta: { progressToken } };
      expect(await client.request("tools/call", params)).toMatchObject({
        result: { structuredContent: expect.any(Object) },
      });
    }
    const tokens = client
      .notifications("notifications/progress")
      .map(({ params }) => params["progressToken"]);
    expect(new Set(tokens)).toEqual(new Set([0, "", "a b"]));
  });

  it("that says it has forms, but refuses them, gets the approval as a result", async () => {
    const { id } = await world.control<{ id: string }>("POST", "/seed/database", {
      projectId,
      name: "spare",
    });
    const client = await start(setup(), { elicitation: { form: {}, url: {} } });
    expect(await client.call("databases_delete", { databaseId: id })).toMatchObject({
      status: "approval_required",
    });
    const asUser = await start(
      { ...setup(), flags: ["--allow-user-writes", "--audit-file", "user.jsonl"] },
      { elicitation: {} },
    );
    const refused = await asUser.call("databases_delete", { databaseId: id });
    expect(refused).toMatchObject({ status: "error", error: { code: expect.stringMatching(/^mcp:/) } });
    expect(await databases()).toHaveLength(2);
  });

  it("may send null for what it leaves out, and objects as texts", async () => {
    const client = await start();
    const [branch] = await world.list(`/v1/projects/${projectId}/branches`);
    const branches = {
      operation: "projects.branches.list",
      arguments: JSON.stringify({ projectId, cursor: null }),
    };
    expect(await client.call("databases_list", { projectId: null, cursor: null })).toMatchObject({
      nextCursor: null,
    });
    expect(await client.call("operation_read", branches)).toMatchObject({ items: [{ id: branch?.["id"] }] });
    expect(
      await client.call("databases_ensure", { logicalId: "one", source: '{"type":"empty"}', dryRun: null }),
    ).toMatchObject({ created: true });
  });

  it("that sends a flag as text has nothing changed", async () => {
    const client = await start();
    expect(await client.call("databases_ensure", { logicalId: "one", dryRun: "true" })).toMatchObject({
      error: { code: "mcp:invalid_arguments" },
    });
    for (const [name, args] of [
      ["databases_list", { projectId: "" }],
      ["databases_get", { databaseId: "" }],
    ] as const)
      expect(await client.call(name, args)).toMatchObject({ status: "error" });
    expect(await databases()).toHaveLength(1);
  });
});

describe("a server", () => {
  /** Starts a server without a client, and returns how it ends. */
  const spawnServer = (options: StdioSetup) => {
    const { command, args, cwd, env } = serverCommand(options);
    const child = spawn(command, args, { cwd, env });
    child.stdin.on("error", () => undefined);
    let printed = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
    return { child, ended: once(child, "close"), printed: () => printed };
  };
  const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } } })}\n`;

  it.each<[string, (child: ReturnType<typeof spawnServer>["child"]) => void]>([
    ["closes its input", (child) => child.stdin.end()],
    ["closes its output", (child) => (child.stdout.destroy(), void child.stdin.write(initialize))],
    ["closes both", (child) => (child.stdout.destroy(), void child.stdin.end(initialize))],
    ["ends it", (child) => void child.kill("SIGTERM")],
    ["interrupts it", (child) => void child.kill("SIGINT")],
    ["closes the terminal", (child) => void child.kill("SIGHUP")],
  ])("ends when its client %s", async (_, disconnect) => {
    const { child, ended, printed } = spawnServer(setup());
    child.stdin.write(initialize);
    await once(child.stdout, "data");
    disconnect(child);
    await ended;
    expect(printed()).not.toMatch(/EPIPE|Unhandled|at .*\.js:/);
  });

  it("ends when its client closes its input during a call", async () => {
    await world.control("POST", "/faults", { operation: "me.get", latency: 60_000, times: 1 });
    const { child, ended } = spawnServer(setup());
    child.stdin.write(initialize);
    await once(child.stdout, "data");
    child.stdin.end(
      `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "context" } })}\n`,
    );
    await ended;
    await world.control("DELETE", "/faults");
    // The answer to its request would come later.
  }, 50_000);

  it("needs no variables but those that name its folders", async () => {
    const { command, args, cwd } = serverCommand(setup());
    const child = spawn(command, args, { cwd, env: world.env });
    child.stdin.write(initialize);
    expect(String((await once(child.stdout, "data"))[0])).toContain('"mgmt"');
    child.stdin.end();
    await once(child, "close");
  });

  it("changes nothing once the audit file cannot be written", async () => {
    const client = await start();
    await client.call("context");
    const audit = join(folder, "audit.jsonl");
    rmSync(audit);
    mkdirSync(audit);
    expect(await client.call("databases_ensure", { logicalId: "one" })).toMatchObject({
      error: { code: "mcp:audit_unwritable" },
    });
    expect(await databases()).toHaveLength(1);
    expect(existsSync(join(folder, ".env"))).toBe(false);
  });

  it("says on standard error why it cannot start, and nothing on standard output", async () => {
    for (const path of ["/dev/null", "."]) {
      const { child, ended, printed } = spawnServer(setup("--audit-file", path));
      let output = "";
      child.stdout.on("data", (part: Buffer) => (output += String(part)));
      child.stdin.end();
      const [status] = await ended;
      expect({ status, output }).toEqual({ status: 1, output: "" });
      expect(printed()).toContain("cannot be written");
    }
  });
});
