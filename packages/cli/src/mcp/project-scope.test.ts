import { describe, expect, it } from "vitest";
import { useMcpSetup } from "../../test/mcp/mcp-setup.js";

const { session, open, rows, seedProject } = useMcpSetup();

describe("a server that is limited to a project", () => {
  it("refuses what is in another project, or in none", async () => {
    const [own, other] = [await seedProject(), await seedProject()];
    const { call } = await open({ options: { projectLimit: own.id } });
    const connection = rows().connections.list({ databaseId: other.databaseId })[0];
    const workspaceId = session.server.engine.defaults.workspace.id;
    const calls: [string, Record<string, unknown>][] = [
      ["projects_get", { projectId: other.id }],
      ["databases_list", { projectId: other.id }],
      ["databases_get", { databaseId: other.databaseId }],
      ["databases_get", { databaseId: other.databaseId.replace(/^db_/, "") }],
      ["databases_backups_list", { databaseId: other.databaseId }],
      ["databases_delete", { databaseId: other.databaseId }],
      ["query", { databaseId: other.databaseId, sql: "select 1" }],
      ["connections_rotate", { connectionId: connection?.id }],
      ["databases_ensure", { logicalId: "x", source: { type: "database", databaseId: other.databaseId } }],
      ["projects_ensure", { logicalId: "third" }],
      ["operation_read", { operation: "workspaces.get", arguments: { workspaceId } }],
      ["operation_read", { operation: "workspaces.list" }],
      ["operation_read", { operation: "connections.get", arguments: { connectionId: connection?.id } }],
      ["operation_write", { operation: "projects.delete", arguments: { projectId: other.id } }],
    ];
    for (const [tool, args] of calls) {
      expect({ tool, ...(await call(tool, args)) }).toMatchObject({
        tool,
        isError: true,
        error: { code: "mcp:outside_project" },
      });
    }
  });

  it("works in the project itself", async () => {
    const own = await seedProject();
    await seedProject();
    const { call } = await open({ options: { projectLimit: own.id.replace(/^proj_/, "") } });
    expect(await call("context")).toMatchObject({ projectId: own.id, limitedToProject: true });
    expect((await call("projects_list"))["items"]).toMatchObject([{ id: own.id }]);
    expect((await call("databases_list"))["items"]).toMatchObject([{ id: own.databaseId }]);
    expect(await call("databases_get", { databaseId: own.databaseId })).toMatchObject({ id: own.databaseId });
    expect(await call("branches_ensure", { gitName: "feature" })).toMatchObject({ created: true });
    expect(await call("regions_list")).toMatchObject({ isError: false });
  });
});
