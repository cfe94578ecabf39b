import { beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";
import { DefaultRows, requireUserWorkspace } from "./default-rows.js";

let server: MemoryServer;
beforeEach(() => {
  server = new MemoryServer({ deterministic: "defaults" });
});
const rowsOf = (homeWorkspaceId?: string) => new DefaultRows(() => server.rows, homeWorkspaceId);
const idsOf = ({ workspace, user, otherWorkspace, otherUser, serviceToken }: DefaultRows) =>
  [workspace, user, otherWorkspace, otherUser, serviceToken].map(({ id }) => id);

describe("the rows that credentials belong to by default", () => {
  it("are those of the first workspace, or of another home", async () => {
    const [workspace, user, otherWorkspace, otherUser] = idsOf(rowsOf());
    await server.seed.serviceToken({}, { workspaceId: otherWorkspace });
    const other = rowsOf(otherWorkspace);
    expect(idsOf(other).slice(0, 4)).toEqual([otherWorkspace, otherUser, workspace, user]);
    expect(other.serviceToken.workspaceId).toBe(otherWorkspace);
    expect(other.agentId).toBe(otherWorkspace?.replace("wksp_", "agent_"));
    const { id } = await server.seed.workspace();
    expect(rowsOf(id).otherWorkspace.id).toBe(workspace);
  });

  it.each<[string, (rows: DefaultRows) => unknown, string]>([
    ["users", ({ user }) => user, "first user"],
    ["serviceTokens", ({ serviceToken }) => serviceToken, "service token"],
    ["workspaces", ({ workspace }) => workspace, "first workspace"],
    ["workspaces", ({ otherUser }) => otherUser, "first workspace"],
  ])("are missed once %s were deleted", (collection, read, name) => {
    const table = server.rows[collection as "users"];
    for (const { id } of table.list({})) table.delete(id);
    expect(() => read(rowsOf())).toThrow(
      expect.objectContaining({ name: "ControlError", status: 404, message: `The store has no ${name}` }),
    );
  });

  it("are missed where there is no other workspace, or not that home", () => {
    expect(() => rowsOf("wksp_none").user).toThrow("The store has no workspace wksp_none");
    server.rows.workspaces.delete(rowsOf().otherWorkspace.id);
    expect(() => rowsOf().otherWorkspace).toThrow("The store has no other workspace");
  });
});

describe("the workspace of a user", () => {
  it("is the first one, or the one with the id, if the user is a member", async () => {
    const { user, workspace, otherWorkspace } = rowsOf();
    const { id: ownerId, email } = await server.seed.user();
    const owner = server.rows.users.get(ownerId) ?? user;
    expect(requireUserWorkspace(server.rows, user).id).toBe(workspace.id);
    expect(() => requireUserWorkspace(server.rows, owner)).toThrow(
      `${email ?? ""} is not a member of a workspace`,
    );
    const { id } = await server.seed.workspace({ ownerId });
    expect(requireUserWorkspace(server.rows, owner, id.replace("wksp_", "")).id).toBe(id);
    expect(() => requireUserWorkspace(server.rows, owner, otherWorkspace.id)).toThrow(
      expect.objectContaining({
        status: 409,
        message: expect.stringContaining(`the workspace ${otherWorkspace.id}`),
      }),
    );
    expect(() => requireUserWorkspace(server.rows, owner, "wksp_none")).toThrow(
      expect.objectContaining({ status: 404 }),
    );
  });
});
