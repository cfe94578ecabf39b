import { describe, expect, it, onTestFinished } from "vitest";
import { DatabaseUnavailableError, OutcomeUnknownError, createMemoryDatabaseEngine } from "@mgmt/engine";
import { openMock } from "../../../mock/test/faces.js";

/** Opens a mock in which the sponsor has approved that an agent rotates a connection. */
const openApprovedRotation = async (options: Parameters<typeof openMock>[0] = {}) => {
  const face = await openMock(options);
  onTestFinished(() => face.close());
  const { engine } = face;
  const database = await engine.seed.database((await engine.seed.project()).id);
  const { id } = await engine.seed.connection(database.id);
  const token = await engine.tokens.agent();
  const rotate = () => face.send("POST", `/v1/connections/${id}/rotate`, { token });
  await rotate();
  await engine.approvals.approve(engine.approvals.list()[0]?.id ?? "");
  return { engine, rotate };
};

describe("the effect of an approved request", () => {
  it("consumes the approval; a failed effect leaves it approved", async () => {
    const defects: unknown[] = [];
    let failing = true;
    const face = await openMock({
      onDefect: (error) => defects.push(error),
      databaseEngine: {
        ...createMemoryDatabaseEngine("mgmt.test"),
        drop: () => (failing ? Promise.reject(new Error("disk full")) : Promise.resolve()),
      },
    });
    onTestFinished(() => face.close());
    const { engine } = face;
    const { id } = await engine.seed.database((await engine.seed.project()).id);
    const token = await engine.tokens.agent();
    const drop = () => face.send("DELETE", `/v1/databases/${id}`, { token });
    expect((await drop()).code).toBe("approval_required");
    const approvalId = engine.approvals.list()[0]?.id ?? "";
    await engine.approvals.approve(approvalId);
    expect((await drop()).status).toBe(500);
    expect(defects).toHaveLength(1);
    expect(engine.approvals.list()[0]?.status).toBe("approved");
    failing = false;
    expect((await drop()).status).toBe(204);
    expect(engine.approvals.list()[0]?.status).toBe("consumed");
  });

  it.each([
    ["is done later", new DatabaseUnavailableError("no connection")],
    ["fails for another reason", new Error("no memory")],
  ])("keeps the approval of a deletion that %s usable", async (_, error) => {
    const face = await openMock({
      onDefect: () => undefined,
      databaseEngine: { ...createMemoryDatabaseEngine("mgmt.test"), drop: () => Promise.reject(error) },
    });
    onTestFinished(() => face.close());
    const { engine } = face;
    const { id } = await engine.seed.database((await engine.seed.project()).id);
    const token = await engine.tokens.agent();
    const drop = () => face.send("DELETE", `/v1/databases/${id}`, { token });
    await drop();
    await engine.approvals.approve(engine.approvals.list()[0]?.id ?? "");
    expect((await drop()).status).toBeGreaterThanOrEqual(500);
    expect(engine.approvals.list()[0]?.status).toBe("approved");
  });

  it.each([
    ["may have happened used", "consumed", new OutcomeUnknownError("no connection")],
    ["did not happen usable", "approved", new DatabaseUnavailableError("no connection")],
  ])("keeps the approval of a rotation that %s", async (_, status, error) => {
    let failing = false;
    const { engine, rotate } = await openApprovedRotation({
      databaseEngine: {
        ...createMemoryDatabaseEngine("mgmt.test"),
        grant: () => (failing ? Promise.reject(error) : Promise.resolve()),
      },
    });
    failing = true;
    expect((await rotate()).status).toBe(503);
    expect(engine.approvals.list()[0]?.status).toBe(status);
  });

  it("runs once when the approved request arrives twice at once: what could run again asks anew", async () => {
    const { engine, rotate } = await openApprovedRotation();
    const answers = await Promise.all([rotate(), rotate(), rotate()]);
    expect(answers.map(({ status, code }) => (status === 200 ? status : code)).sort()).toEqual([
      200,
      "approval_required",
      "approval_required",
    ]);
    expect(engine.approvals.list().map(({ status }) => status)).toEqual(["consumed", "pending"]);
  });

  it("requires approvals for other operations that the settings name", async () => {
    const face = await openMock({ settings: { approvals: { operations: ["projects.update"] } } });
    onTestFinished(() => face.close());
    const { engine } = face;
    const { id } = await engine.seed.project();
    const token = await engine.tokens.agent();
    const rename = () => face.send("PATCH", `/v1/projects/${id}`, { token, body: { name: "shop" } });
    expect((await rename()).code).toBe("approval_required");
    await engine.approvals.approve(engine.approvals.list()[0]?.id ?? "");
    expect((await rename()).status).toBe(200);
  });

  it.each<[collection: "databases" | "apps" | "services", field: string, value: unknown]>([
    ["databases", "logicalId", "preview.shop"],
    ["databases", "logicalId", null],
    ["databases", "branchId", "other"],
    ["databases", "branchGitName", "old"],
    ["databases", "branchGitName", "new"],
    ["services", "logicalId", null],
    ["services", "branchId", "other"],
    ["services", "branchId", null],
    ["services", "branchGitName", "new"],
    ["apps", "logicalId", null],
    ["apps", "branchGitName", null],
  ])("is required to change what identifies one of the %s: %s to %j", async (collection, field, value) => {
    const face = await openMock();
    onTestFinished(() => face.close());
    const { engine } = face;
    const { id: projectId } = await engine.seed.project();
    const { id: other } = await engine.seed.branch(projectId, { gitName: "old" });
    const seeded =
      collection === "databases" ? await engine.seed.database(projectId) : await engine.seed.app(projectId);
    const path = `/v1/${collection}/${seeded.id}`;
    const token = await engine.tokens.agent();
    const sponsor = await engine.tokens.user();
    const update = (body: object, as = token) => face.send("PATCH", path, { token: as, body });
    const stored = () =>
      JSON.stringify(engine.rows.databases.get(seeded.id) ?? engine.rows.apps.get(seeded.id));
    expect((await update({ logicalId: "reports" }, sponsor)).status).toBe(200);
    // What stays as it is needs no approval, and neither does a name.
    const rename = collection === "databases" ? { name: "new name" } : { displayName: "new name" };
    for (const body of [
      rename,
      { logicalId: "reports" },
      { branchId: seeded.branchId },
      { branchGitName: "main" },
    ]) {
      expect((await update(body)).status).toBe(200);
    }
    const change = { [field]: value === "other" ? other : value };
    const before = stored();
    expect(await update(change)).toMatchObject({ status: 403, code: "approval_required" });
    expect(await update({ ...change, ...rename })).toMatchObject({ code: "approval_required" });
    const [first, second] = engine.approvals.list();
    await engine.approvals.deny(second?.id ?? "");
    expect(await update({ ...change, ...rename })).toMatchObject({ status: 403, code: "approval:denied" });
    expect(stored()).toBe(before);
    await engine.approvals.approve(first?.id ?? "");
    expect((await update(change)).status).toBe(200);
    expect(stored()).not.toBe(before);
  });

  it("belongs to the project that the body names, and may have null in its body", async () => {
    const face = await openMock({ settings: { approvals: { operations: ["apps.create"] } } });
    onTestFinished(() => face.close());
    const { engine } = face;
    const [one, other] = [await engine.seed.project(), await engine.seed.project()];
    const token = await engine.tokens.agent();
    const create = (projectId: string, displayName: string) =>
      face.send("POST", "/v1/apps", { token, body: { projectId, displayName, branchId: null } });
    expect((await create(one.id, "first")).code).toBe("approval_required");
    const [approval] = engine.approvals.list();
    expect(approval?.projectId).toBe(one.id);
    await engine.approvals.approveWindow(approval?.id ?? "");
    expect((await create(one.id, "second")).status).toBe(201);
    expect((await create(other.id, "third")).code).toBe("approval_required");
  });
});
