import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useMcpSetup } from "../../../test/mcp/mcp-setup.js";

const mcp = useMcpSetup();
const { open, rows, seedProject, expectNoSecret } = mcp;

describe("databases_ensure", () => {
  it("creates one database, however often it is called, and writes an env file that works", async () => {
    const { id } = await seedProject();
    const { call, transcript } = await open({ env: { MGMT_PROJECT_ID: id } });
    writeFileSync(join(mcp.folder, ".env.local"), "A=1\nDATABASE_URL=old # comment\nB='2'\n", {
      mode: 0o644,
    });
    const args = { logicalId: "reports", envFile: ".env.local" };
    const first = await call("databases_ensure", args);
    expect(first).toMatchObject({
      isError: false,
      status: "ready",
      created: true,
      connectionId: expect.stringMatching(/^con_/),
      host: expect.any(String),
      user: expect.any(String),
      writtenTo: ".env.local",
      envName: "DATABASE_URL",
    });
    const second = await call("databases_ensure", args);
    expect(second).toMatchObject({ created: false, changed: false, connectionId: first["connectionId"] });
    const databases = rows().databases.list({ projectId: id });
    expect(databases.filter(({ logicalId }) => logicalId === "reports")).toHaveLength(1);
    expect(rows().connections.list({ databaseId: String(first["databaseId"]) })).toHaveLength(1);
    const text = readFileSync(join(mcp.folder, ".env.local"), "utf8");
    expect(text).toMatch(/^A=1\nDATABASE_URL="postgresql:\/\/[^"]+" # comment\nB='2'\n$/);
    expect(statSync(join(mcp.folder, ".env.local")).mode & 0o777).toBe(0o600);
    expectNoSecret(transcript() + readFileSync(join(mcp.folder, "audit/mcp.jsonl"), "utf8"));
  });

  it("says how to resume if the database is not ready in time", async () => {
    const { id } = await seedProject();
    const { call } = await open({ env: { MGMT_PROJECT_ID: id }, options: { maxWaitMs: 1 } });
    const args = { logicalId: "slow" };
    const result = await call("databases_ensure", args);
    expect(result).toMatchObject({
      status: "provisioning",
      next: [{ tool: "databases_ensure", arguments: args }],
    });
    expect(existsSync(join(mcp.folder, ".env"))).toBe(false);
    const patient = await open({ env: { MGMT_PROJECT_ID: id } });
    expect(await patient.call("databases_ensure", args)).toMatchObject({
      status: "ready",
      created: false,
      databaseId: result["databaseId"],
    });
  });

  it("reports its progress", async () => {
    const { id } = await seedProject();
    const { client } = await open({ env: { MGMT_PROJECT_ID: id } });
    const messages: unknown[] = [];
    await client.callTool(
      { name: "databases_ensure", arguments: { logicalId: "seen" } },
      { onprogress: ({ message }) => messages.push(message) },
    );
    expect(messages).toContainEqual(expect.stringMatching(/^Database db_\w+ is ready$/));
  });

  it("shows what it would do with dryRun", async () => {
    const { id } = await seedProject();
    const { call } = await open({ env: { MGMT_PROJECT_ID: id } });
    const result = await call("databases_ensure", { logicalId: "later", dryRun: true });
    const body: unknown = expect.objectContaining({ projectId: id, logicalId: "later" });
    expect(result).toMatchObject({
      status: "dry_run",
      action: "create",
      requests: [{ method: "POST", path: "/v1/databases", body }],
      wouldWrite: { envFile: ".env", envName: "DATABASE_URL" },
    });
    const branch = { gitName: "feature/x" };
    expect(await call("branches_ensure", { ...branch, dryRun: true })).toMatchObject({
      action: "create",
      requests: [{ method: "POST", path: `/v1/projects/${id}/branches`, body: branch }],
    });
    expect(existsSync(join(mcp.folder, ".env"))).toBe(false);
    expect(rows().databases.list({ projectId: id })).toHaveLength(1);
    await call("branches_ensure", branch);
    expect(await call("branches_ensure", { ...branch, dryRun: true })).toMatchObject({
      action: "none",
      requests: [],
    });
  });
});

describe("databases_restore", () => {
  it.each([
    [
      "recovering",
      {
        isError: false,
        status: "recovering",
        message: "A restore was under way. This call did not start another one.",
        next: [{ tool: "databases_get" }],
      },
    ],
    ["provisioning", { isError: true, error: { code: "database:busy" } }],
  ] as const)("waits for no other work than a restore: a database that is %s", async (status, expected) => {
    const { databaseId } = await seedProject();
    const { seed, states } = mcp.session.server.engine;
    const { id: backupId } = await seed.backup(databaseId);
    await states.setDatabaseStatus(databaseId, status);
    const { call } = await open({ options: { maxWaitMs: 1 } });
    const source = { type: "backup", databaseId, backupId };
    expect(await call("databases_restore", { targetDatabaseId: databaseId, source })).toMatchObject(expected);
  });
});
