import { beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";
import { operations } from "../generated/operations.js";

let server: MemoryServer;
let ids: Record<string, string>;

beforeEach(async () => {
  server = new MemoryServer({ deterministic: "effects" });
  const { seed } = server;
  const { id: project, database } = await seed.project({ name: "shop" });
  const branch = await seed.branch(project, { gitName: "feature" });
  await server.handle({
    method: "POST",
    path: "/v1/databases",
    headers: {
      authorization: `Bearer ${await server.tokens.user()}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ projectId: project, branchId: branch.id, name: "reports", region: "us-east-1" }),
  });
  const [spare] = server.rows.databases.list({ branchId: branch.id });
  if (!spare) throw new Error("There is no database on the branch");
  await server.states.setDatabaseStatus(spare.id, "ready");
  const connection = await seed.connection(spare.id, { name: "worker" });
  const backup = await seed.backup(spare.id);
  const app = await seed.app(project, { displayName: "web" });
  const deployment = await seed.deployment(app.id);
  const { integration } = await seed.integration();
  ids = {
    lone: (await seed.project({ name: "lone" })).id,
    old: (await seed.branch(project, { gitName: "old" })).id,
    project,
    main: database?.id ?? "",
    branch: branch.id,
    spare: spare.id,
    connection: connection.id,
    backup: backup.id,
    app: app.id,
    deployment: deployment.id,
    integration: integration.id,
    workspace: server.defaults.workspace.id,
  };
});

/** Sends a request of an agent, and returns the effect that the sponsor is shown. */
const request = async (method: string, path: string, body?: object): Promise<string> => {
  const headers = {
    authorization: `Bearer ${await server.tokens.agent()}`,
    "content-type": "application/json",
  };
  const { status } = await server.handle({
    method,
    path: `/v1${path}`,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(status).toBe(403);
  return server.approvals.list().at(-1)?.effect ?? "";
};

type Case = [operation: string, send: () => Promise<string>, effect: RegExp];

const cases: Case[] = [
  [
    "projects.delete",
    () => request("DELETE", `/projects/${ids["lone"]}`),
    /^Deletes the project "lone" \(proj_\w+\), with 1 database \(".*"\), 1 branch \("main"\)\.$/,
  ],
  [
    "projects.transfer",
    async () =>
      request("POST", `/projects/${ids["project"]}/transfer`, {
        recipientAccessToken: await server.tokens.otherUser(),
      }),
    /^Moves the project "shop" \(proj_\w+\), with 2 databases .*, to the workspace wksp_\w+\.$/,
  ],
  [
    "databases.delete",
    () => request("DELETE", `/databases/${ids["spare"]}`),
    /^Deletes the database "reports" \(db_\w+\) of the project "shop" \(proj_\w+\), with 2 connections \(.*"worker"\), 1 backup\.$/,
  ],
  [
    "databases.restore",
    () =>
      request("POST", `/databases/${ids["spare"]}/restore`, {
        source: { type: "backup", databaseId: ids["spare"], backupId: ids["backup"] },
      }),
    /^Replaces the content of the database "reports" \(db_\w+\) of .* with the backup bkp_\w+ of \d{4}-[\d-]+T[\d:.]+Z\. What was written since then is lost\.$/,
  ],
  [
    "databases.update",
    () => request("PATCH", `/databases/${ids["spare"]}`, { name: "new", logicalId: "new-id" }),
    /^Changes of the database "reports" \(db_\w+\) of .*: logicalId to "new-id"\.$/,
  ],
  [
    "connections.delete",
    () => request("DELETE", `/connections/${ids["connection"]}`),
    /^Deletes the connection "worker" \(con_\w+\) of the database "reports" .* of the project "shop"/,
  ],
  [
    "connections.rotate",
    () => request("POST", `/connections/${ids["connection"]}/rotate`),
    /^Replaces the password of the connection "worker" \(con_\w+\) of the database "reports" .*no longer connect\.$/,
  ],
  [
    "branches.delete",
    () => request("DELETE", `/branches/${ids["old"]}`),
    /^Deletes the branch "old" \(br_\w+\) of the project "shop" \(proj_\w+\)\.$/,
  ],
  [
    "services.delete",
    () => request("DELETE", `/services/${ids["app"]}`),
    /^Deletes the service "web" \(\w+\) of the project "shop" \(proj_\w+\), with 1 deployment\.$/,
  ],
  ["apps.delete", () => request("DELETE", `/apps/${ids["app"]}`), /^Deletes the service "web"/],
  [
    "services.update",
    () => request("PATCH", `/services/${ids["app"]}`, { branchId: ids["branch"] }),
    /^Changes of the service "web" .*: branchId to "br_\w+"\.$/,
  ],
  [
    "apps.update",
    () => request("PATCH", `/apps/${ids["app"]}`, { logicalId: "x" }),
    /^Changes of the service "web"/,
  ],
  [
    "deployments.delete",
    () => request("DELETE", `/deployments/${ids["deployment"]}`),
    /^Deletes the deployment dpl_\w+ of the service "web"/,
  ],
  [
    "integrations.delete",
    () => request("DELETE", `/integrations/${ids["integration"]}`),
    /^Deletes the integration \w+\.$/,
  ],
];

describe("the effect of a request", () => {
  it.each(cases)("names the resource, and what depends on it: %s", async (_, send, effect) => {
    expect(await send()).toMatch(effect);
  });

  it("is tested for the gated operations, but for those without a resource of their own", () => {
    const gated = Object.values(operations)
      .filter(
        ({ agentApproval, approvalFields }) => agentApproval === "required" || approvalFields.length > 0,
      )
      .map(({ id }) => id);
    const others = ["workspaces.integrations.delete", "workspaces.serviceTokens.delete"];
    expect([...cases.map(([operation]) => operation), ...others].sort()).toEqual(gated.sort());
  });

  it("quotes names, which may look like sentences, and cuts long ones", async () => {
    const name = `a" (db_x). Harmless.\u202e\n${"x".repeat(200)}`;
    const { id } = await server.seed.database(ids["project"] ?? "", { name });
    const effect = await request("DELETE", `/databases/${id}`);
    expect(effect).toMatch(/^Deletes the database "a\\" \(db_x\)\. Harmless\.\\u202e\\nx+…" \(db_/);
    expect(effect.length).toBeLessThan(400);
  });

  it.each([80, 81])("has a name of 80 characters whole: %i", async (length) => {
    const { id } = await server.seed.database(ids["project"] ?? "", { name: "x".repeat(length) });
    const text = "x".repeat(80) + (length > 80 ? "…" : "");
    expect(await request("DELETE", `/databases/${id}`)).toContain(`the database "${text}" (`);
  });

  it.each([4, 5])("counts all that depends on a resource, and names five of it: 1 and %i", async (others) => {
    const lone = ids["lone"] ?? "";
    const names = ["a", "b", "c", "d", "e"].slice(0, others);
    for (const name of names) await server.seed.database(lone, { name });
    const recipientAccessToken = await server.tokens.otherUser();
    const effect = await request("POST", `/projects/${lone}/transfer`, { recipientAccessToken });
    const end = others > 4 ? '"a", "b", "c", "d", …)' : '"a", "b", "c", "d")';
    expect(effect).toContain(`with ${String(others + 1)} databases ("`);
    expect(effect).toContain(`, ${end}, 1 branch`);
  });

  it("names only the id once the resource is gone", async () => {
    await request("DELETE", `/databases/${ids["spare"]}`);
    const [approval] = server.approvals.list();
    await server.approvals.approve(approval?.id ?? "");
    const headers = { authorization: `Bearer ${await server.tokens.agent()}` };
    await server.handle({ method: "DELETE", path: `/v1/databases/${ids["spare"]}`, headers });
    expect(server.approvals.list()[0]).toMatchObject({
      status: "consumed",
      effect: `Deletes the database ${ids["spare"]}.`,
    });
  });
});
