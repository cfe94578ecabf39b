import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { type ConnectedClient, connectClient, type ToolData } from "../../test/mcp/mcp-client.js";
import { useSession } from "../../test/terminal.js";

const root = temporaryFolder();
const session = useSession();
let folder: string;
let state: string;
let databaseId: string;
let calls: Readonly<Record<Tool, Record<string, unknown>>>;
const opened: ConnectedClient[] = [];

type Tool = "databases_restore" | "connections_rotate" | "databases_delete";

const engine = () => session.server.engine;

beforeEach(async () => {
  folder = mkdtempSync(join(root, "app-"));
  state = mkdtempSync(join(root, "state-"));
  const { id } = await engine().seed.project({ name: "shop" });
  databaseId = (await engine().seed.database(id, { name: "spare" })).id;
  const backup = await engine().seed.backup(databaseId);
  const [connection] = engine().rows.connections.list({ databaseId });
  calls = {
    databases_restore: {
      targetDatabaseId: databaseId,
      source: { type: "backup", databaseId, backupId: backup.id },
    },
    connections_rotate: { connectionId: connection?.id },
    databases_delete: { databaseId },
  };
});
afterEach(async () => {
  engine().faults.clear();
  for (const client of opened.splice(0)) await client.close();
});

/** Calls a tool of a new server, as a client does whose server was killed. A user confirms each call. */
const call = async (
  tool: Tool,
  args: Record<string, unknown> = {},
  principal: "agent" | "user" = "agent",
): Promise<ToolData> => {
  const MGMT_TOKEN = await engine().tokens[principal]();
  const client = await connectClient({
    env: { ...session.env, MGMT_TOKEN, MGMT_CONFIG_DIR: root, XDG_STATE_HOME: state },
    cwd: folder,
    options: { auditFile: "audit.jsonl", allowsUserWrites: true },
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
  opened.push(client);
  return client.call(tool, { ...calls[tool], ...args });
};

const approve = async ({ approvalId }: ToolData, windowMs?: number): Promise<void> => {
  const { approvals } = engine();
  await (windowMs === undefined
    ? approvals.approve(String(approvalId))
    : approvals.approveWindow(String(approvalId), windowMs));
};

/** How often the service has carried out an operation on the resources of the test. */
const countDone = (operation: string): number => {
  const ids = [databaseId, String(calls.connections_rotate["connectionId"])];
  return engine().requests.filter(
    ({ operationId, path, status }) =>
      operationId === operation && ids.some((id) => path.includes(id)) && (status === null || status < 300),
  ).length;
};

describe.each<[Tool, "databases.restore" | "connections.rotate"]>([
  ["databases_restore", "databases.restore"],
  ["connections_rotate", "connections.rotate"],
])("the same call of %s", (tool, operation) => {
  it("is sent once, and a second time if that is wanted", async () => {
    await approve(await call(tool));
    expect(await call(tool)).not.toHaveProperty("alreadyDone");
    const repeated = await call(tool);
    expect(repeated).toMatchObject({ isError: false, alreadyDone: expect.stringMatching(/^\d{4}-/) });
    expect(countDone(operation)).toBe(1);
    const again = String(repeated["alreadyDone"]);
    const wanted = await call(tool, { again });
    expect(wanted).toMatchObject({ status: "approval_required" });
    await approve(wanted);
    expect(await call(tool, { again })).not.toHaveProperty("alreadyDone");
    expect(await call(tool, { again })).toHaveProperty("alreadyDone");
    expect(countDone(operation)).toBe(2);
  });

  it("is sent once if the response was lost, because the approval says that it was used", async () => {
    await approve(await call(tool));
    engine().faults.add({ operation, drop: "after", times: 1 });
    expect(await call(tool)).toMatchObject({ isError: true });
    expect(await call(tool)).toMatchObject({ isError: false, alreadyDone: expect.any(String) });
    expect(countDone(operation)).toBe(1);
  });

  it("is sent again if the service has done nothing", async () => {
    await approve(await call(tool));
    for (const fault of [{ drop: "before" as const }, { status: 500 }]) {
      engine().faults.add({ operation, ...fault, times: 1 });
      expect(await call(tool)).toMatchObject({ isError: true });
    }
    expect(await call(tool)).not.toHaveProperty("alreadyDone");
    // One of them is the request whose connection was cut before.
    expect(countDone(operation)).toBe(2);
  });

  it("is not sent if nobody could say later that it was", async () => {
    rmSync(state, { recursive: true });
    writeFileSync(state, "");
    expect(await call(tool)).toMatchObject({ isError: true, error: { code: "mcp:journal_unwritable" } });
    expect(countDone(operation)).toBe(0);
  });
});

it.each([
  ["was lost", { drop: "after" as const }, true],
  ["has the status 500", { status: 500 }, true],
  ["has the status 408", { status: 408 }, true],
  ["has the status 422", { status: 422 }, false],
])("asks what to do if the response to a user %s", async (_, fault, isAsked) => {
  engine().faults.add({ operation: "databases.restore", ...fault, times: 1 });
  expect(await call("databases_restore", {}, "user")).toMatchObject({ isError: true });
  expect(await call("databases_restore", {}, "user")).toMatchObject(
    isAsked ? { error: { code: "mcp:outcome_unknown" } } : { isError: false },
  );
});

it("returns the response of a change although nothing can note any more that it was made", async () => {
  const stop = engine().followRequests(({ operationId }) => {
    if (operationId !== "databases.restore") return;
    rmSync(state, { recursive: true });
    writeFileSync(state, "");
  });
  expect(await call("databases_restore", {}, "user")).toMatchObject({ isError: false });
  stop();
});

it("asks what to do if a response was lost while a time was approved", async () => {
  await approve(await call("connections_rotate"), 3_600_000);
  engine().faults.add({ operation: "connections.rotate", drop: "after", times: 1 });
  await call("connections_rotate");
  const unknown = await call("connections_rotate");
  expect(unknown).toMatchObject({ error: { code: "mcp:outcome_unknown" } });
  const [, again = ""] = /again: "([^"]+)"/.exec(JSON.stringify(unknown).replaceAll("\\", "")) ?? [];
  expect(await call("connections_rotate", { again })).toMatchObject({ changed: true });
  expect(countDone("connections.rotate")).toBe(2);
});

it("says that a deleted database is deleted, but only to who has deleted it", async () => {
  await approve(await call("databases_delete"));
  expect(await call("databases_delete")).not.toHaveProperty("alreadyDone");
  expect(await call("databases_delete")).toMatchObject({ status: "done", alreadyDone: expect.any(String) });
  expect(await call("databases_delete", { databaseId: "db_none" })).toMatchObject({
    error: { code: "database:not_found" },
  });
  expect(countDone("databases.delete")).toBe(1);
});

it("has no argument again for what is deleted once", async () => {
  expect(await call("databases_delete", { again: "x" })).toMatchObject({
    error: { code: "mcp:invalid_arguments" },
  });
});
