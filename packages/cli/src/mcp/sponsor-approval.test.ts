import { describe, expect, it } from "vitest";
import { useMcpSetup } from "../../test/mcp/mcp-setup.js";

const { session, open, rows, seedProject, readAudit } = useMcpSetup();

describe("a change that needs an approval", () => {
  const spareDatabase = async (projectId: string): Promise<string> =>
    (await session.server.engine.seed.database(projectId, { name: "spare" })).id;

  it("is an ordinary result, waits for the sponsor, and succeeds when it is repeated", async () => {
    const { id } = await seedProject();
    const databaseId = await spareDatabase(id);
    const { call } = await open();
    const refused = await call("databases_delete", { databaseId });
    expect(refused).toMatchObject({
      isError: false,
      status: "approval_required",
      approvalUrl: expect.stringMatching(/^http/),
      expiresAt: expect.any(String),
      next: [{ tool: "approval_wait" }, { tool: "databases_delete", arguments: { databaseId } }],
    });
    const approvalId = String(refused["approvalId"]);
    const waiting = call("approval_wait", { approvalId });
    await session.server.engine.approvals.approve(approvalId);
    expect(await waiting).toMatchObject({ status: "approved" });
    expect(await call("databases_delete", { databaseId })).toMatchObject({ isError: false, status: "done" });
    expect(rows().databases.get(databaseId)).toBeUndefined();
    expect(await call("approval_wait", { approvalId })).toMatchObject({ status: "consumed" });
    expect(readAudit().filter(({ tool }) => tool === "databases_delete")).toMatchObject([
      { outcome: "started" },
      { outcome: "approval_required", approvalId, ids: { databaseId }, client: "test 1.0.0" },
      { outcome: "started" },
      { outcome: "done", operation: "databases.delete", requestId: expect.any(String) },
    ]);
  });

  it("does not happen if the sponsor denies it, or has not decided yet", async () => {
    const { id } = await seedProject();
    const databaseId = await spareDatabase(id);
    const { call } = await open({ options: { maxWaitMs: 1 } });
    const approvalId = String((await call("databases_delete", { databaseId }))["approvalId"]);
    expect(await call("approval_wait", { approvalId })).toMatchObject({
      status: "pending",
      next: [{ tool: "approval_wait", arguments: { approvalId } }],
    });
    await session.server.engine.approvals.deny(approvalId);
    expect(await call("approval_wait", { approvalId })).toMatchObject({
      status: "denied",
      message: expect.stringContaining("stays denied until expiresAt"),
    });
    expect(await call("databases_delete", { databaseId })).toMatchObject({
      isError: true,
      error: { code: "approval:denied" },
    });
    expect(rows().databases.get(databaseId)).toBeDefined();
  });

  it("requests another approval once the time of the first one is over, and says what was late", async () => {
    const { id } = await seedProject();
    const databaseId = await spareDatabase(id);
    const { call } = await open();
    const { approvals, clock } = session.server.engine;
    const request = async (): Promise<string> => {
      const { status, approvalId } = await call("databases_delete", { databaseId });
      expect(status).toBe("approval_required");
      return String(approvalId);
    };
    const ids: string[] = [];
    for (const [decide, expected] of [
      [() => undefined, { status: "expired", message: expect.stringContaining("Nobody decided in time") }],
      [approvals.approve, { status: "expired", message: expect.stringContaining("did not follow in time") }],
      [approvals.deny, { status: "denied" }],
    ] as const) {
      const approvalId = await request();
      ids.push(approvalId);
      await decide.call(approvals, approvalId);
      await clock.advance(15 * 60_000);
      expect(await call("approval_wait", { approvalId })).toMatchObject(expected);
    }
    expect(new Set([...ids, await request()]).size).toBe(4);
    expect(rows().databases.get(databaseId)).toBeDefined();
  });

  it.each(["2026-07-28", "legacy"])(
    "shows the link to a client of %s with URL elicitation, and continues once the sponsor has approved",
    async (version) => {
      const { id } = await seedProject();
      const databaseId = await spareDatabase(id);
      const links: unknown[] = [];
      const { call } = await open({
        clientOptions: {
          capabilities: { elicitation: { form: {}, url: {} } },
          versionNegotiation: { mode: version === "legacy" ? "legacy" : { pin: version } },
        },
        prepare: (client) =>
          client.setRequestHandler("elicitation/create", async ({ params }) => {
            links.push(params);
            const [approval] = session.server.engine.approvals.list().slice(-1);
            await session.server.engine.approvals.approve(approval?.id ?? "");
            return { action: "accept" };
          }),
      });
      expect(await call("databases_delete", { databaseId })).toMatchObject({ status: "done" });
      expect(links).toMatchObject([{ mode: "url", url: expect.stringMatching(/^http/) }]);
    },
  );

  it("sends nothing with dryRun", async () => {
    const { id } = await seedProject();
    const databaseId = await spareDatabase(id);
    const { call } = await open();
    expect(await call("databases_delete", { databaseId, dryRun: true })).toMatchObject({
      status: "dry_run",
      requests: [{ method: "DELETE", path: `/v1/databases/${databaseId}` }],
    });
    expect(
      session.server.engine.approvals.list().filter(({ request }) => request.includes(databaseId)),
    ).toEqual([]);
  });
});
