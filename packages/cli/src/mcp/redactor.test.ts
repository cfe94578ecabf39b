import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { type ConnectedClient, connectClient } from "../../test/mcp/mcp-client.js";
import { callSecretOperations } from "../../test/mcp/secret-operations.js";
import { useSession } from "../../test/terminal.js";
import { toListedSchema } from "./argument-schemas.js";
import { operationTools } from "./generated/operation-tools.js";
import { Redactor } from "./redactor.js";

const root = temporaryFolder();
const session = useSession();
let folder: string;
let connected: ConnectedClient;

const plantedValue = "planted-value-of-a-variable";

beforeEach(async () => {
  folder = mkdtempSync(join(root, "app-"));
  // A user may do everything, and agrees to everything.
  connected = await connectClient({
    env: { ...session.env, MGMT_CONFIG_DIR: root, XDG_STATE_HOME: root },
    cwd: folder,
    options: { allowsUserWrites: true, includesAllTools: true },
    clientOptions: {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    },
    prepare: (client) =>
      client.setRequestHandler("elicitation/create", () => ({
        action: "accept",
        content: { confirm: true },
      })),
  });
});
afterEach(() => connected.close());

/** Calls every operation whose result has a secret through every tool that can call it, and returns how many calls there were. */
const callAll = async (): Promise<number> => {
  const { seed } = session.server.engine;
  const { id: projectId, database } = await seed.project({ name: "shop" });
  const app = await seed.app(projectId);
  const deployment = await seed.deployment(app.id, { envVars: { PLANTED: plantedValue }, status: "running" });
  const databaseId = database?.id ?? "";
  const connection = session.server.engine.rows.connections.list({ databaseId })[0];
  return callSecretOperations({
    ids: {
      projectId,
      databaseId,
      targetDatabaseId: databaseId,
      connectionId: connection?.id ?? "",
      workspaceId: session.server.engine.defaults.workspace.id,
      appId: app.id,
      serviceId: app.id,
      deploymentId: deployment.id,
    },
    call: (name, args) => connected.call(name, args),
    takeBackup: async () => (await seed.backup(databaseId)).id,
    isReady: () => Promise.resolve(session.server.engine.rows.databases.get(databaseId)?.status === "ready"),
  });
};

/** Returns the secrets of the service that a text contains. */
const findLeaks = (text: string): string[] => {
  const { rows } = session.server.engine;
  const secrets = [
    plantedValue,
    session.env["MGMT_TOKEN"] ?? "",
    ...rows.connections.list({}).map(({ pass }) => pass),
    ...readdirSync(folder)
      .filter((name) => name.startsWith(".env"))
      .map((name) => /="(.+)"/.exec(readFileSync(join(folder, name), "utf8"))?.[1]),
  ].filter((secret): secret is string => typeof secret === "string" && secret !== "");
  expect(secrets.length).toBeGreaterThan(10);
  return secrets.filter((secret) => text.includes(secret));
};

const evidence = (): string => connected.transcript() + readFileSync(join(folder, "audit/mcp.jsonl"), "utf8");

describe("no secret of the service", () => {
  it("is in a result, a message, or the audit file, whatever tool calls the operation", async () => {
    expect(await callAll()).toBeGreaterThanOrEqual(30);
    expect(findLeaks(evidence())).toEqual([]);
  });

  it("is missed by this search: it finds them if the redactor does nothing", async () => {
    vi.spyOn(Redactor.prototype, "redact").mockImplementation((value) => value);
    await callAll();
    const leaks = findLeaks(evidence());
    expect(leaks).toContain(plantedValue);
    expect(leaks.length).toBeGreaterThan(3);
  });
});

describe("the redactor", () => {
  const redactor = new Redactor();
  redactor.addSecretsOfMessage(
    { authorization: "Bearer token-of-the-server" },
    JSON.stringify({ pass: "learned-password" }),
  );

  it.each<[string, unknown, unknown]>([
    ["a field that the contract marks", { id: "con_1", pass: "a" }, { id: "con_1" }],
    ["a secret that was seen, in a name", { name: "x learned-password" }, { name: "x [redacted]" }],
    ["the token of the server", "Bearer token-of-the-server", "Bearer [redacted]"],
    [
      "a connection string in a row",
      { note: "postgresql://u:p4ssw0rd@h/d" },
      { note: "postgresql://[redacted]@h/d" },
    ],
    ["a column with the name of a secret", { rows: [{ password: "x", id: 1 }] }, { rows: [{ id: 1 }] }],
    ["a secret in base64", { note: Buffer.from("learned-password").toString("base64") }, {}],
  ])("removes %s", (_, value, expected) => {
    expect(redactor.redact(value)).toEqual(expected);
  });

  it.each<[string, unknown, unknown]>([
    [
      "the names of columns, and the values beside a secret",
      {
        columns: ["password", "id"],
        rows: [
          { password: "a", id: "1" },
          { password: null, id: "2" },
        ],
      },
      { columns: ["password", "id"], rows: [{ id: "1" }, { password: null, id: "2" }] },
    ],
    [
      "a column with the name of a field that is a secret of the contract alone",
      { rows: [{ value: "3", uploadUrl: "https://x.test/a" }] },
      { rows: [{ value: "3", uploadUrl: "https://x.test/a" }] },
    ],
    [
      "the value of another setting than a secret",
      {
        rows: [
          { name: "theme", value: "dark" },
          { name: "api_key", value: "a" },
        ],
      },
      { rows: [{ name: "theme", value: "dark" }, { name: "api_key" }] },
    ],
    [
      "columns of JSON, without the secrets in them",
      { rows: [{ a: '{"value":3,"token":"b","id":4}', b: '["cookie","c"]' }] },
      { rows: [{ a: '{"value":3,"token":"[redacted]","id":4}', b: '["cookie","[redacted]"]' }] },
    ],
    [
      "other columns than those with secrets in their texts",
      { rows: [{ url: "postgres://u:p4ss@h/d", value: "x learned-password", id: "Bearer abc" }] },
      { rows: [{ url: "postgres://[redacted]@h/d", value: "x [redacted]", id: "Bearer [redacted]" }] },
    ],
  ])("keeps of a query %s", (_, value, expected) => {
    expect(redactor.redact(value, "columns")).toEqual(expected);
  });

  it("keeps lists of names in results of the service, and in errors", () => {
    const value = {
      issues: [{ path: ["password", "length"] }],
      required: ["token", "a"],
      next: [["key", "b"]],
    };
    expect(redactor.redact(value)).toEqual(value);
  });

  it.each(operationTools.map((tool) => [tool.name, toListedSchema(tool.inputSchema)] as const))(
    "keeps the arguments of an operation: %s",
    (_, schema) => {
      const value = { operations: [{ arguments: schema }] };
      expect(redactor.redact(value, "arguments")).toEqual(value);
    },
  );

  it.each<[unknown, unknown]>([
    [
      { name: "shop", createdAt: "2026-01-01T00:00:00.000Z" },
      { name: "shop", createdAt: "2026-01-01T00:00:00.000Z" },
    ],
    [
      { envName: "DATABASE_URL", writtenTo: ".env", user: "u", host: "h" },
      { envName: "DATABASE_URL", writtenTo: ".env", user: "u", host: "h" },
    ],
    [
      Array.from({ length: 130 }, (_, index) => index),
      [...Array.from({ length: 100 }, (_, index) => index), "30 more left out"],
    ],
    ["x".repeat(3_000), `${"x".repeat(2_000)}…`],
    ["a\u200bb\u001b[31m", "a\\u200bb\\u001b[31m"],
  ])("keeps other data, and shortens it: case %#", (value, expected) => {
    expect(redactor.redact(value)).toEqual(expected);
  });
});
