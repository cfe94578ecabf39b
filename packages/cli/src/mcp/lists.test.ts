import { describe, expect, it } from "vitest";
import { useMcpSetup } from "../../test/mcp/mcp-setup.js";

const { session, open, seedProject } = useMcpSetup();

describe("lists", () => {
  it("have at most 20 items, and a cursor for the next ones", async () => {
    const { id } = await seedProject();
    for (let index = 0; index < 25; index += 1)
      await session.server.engine.seed.branch(id, { gitName: `b${index}` });
    const { call } = await open();
    const read = (cursor?: unknown) =>
      call("operation_read", {
        operation: "projects.branches.list",
        arguments: { projectId: id, ...(cursor !== undefined && { cursor }) },
      });
    const first = await read();
    const second = await read(first["nextCursor"]);
    expect([(first["items"] as []).length, (second["items"] as []).length]).toEqual([20, 6]);
    expect(second["nextCursor"]).toBeNull();
  });
});
