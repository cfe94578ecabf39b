import { expect, it } from "vitest";
import { useMcpSetup } from "../../../test/mcp/mcp-setup.js";

const { open } = useMcpSetup();

it("operations_search finds operations with their arguments", async () => {
  const { call } = await open();
  expect((await call("operations_search", { words: "list branches" }))["operations"]).toContainEqual(
    expect.objectContaining({ operation: "projects.branches.list", tool: "operation_read" }),
  );
  expect((await call("operations_search", { words: "delete service" }))["operations"]).toContainEqual(
    expect.objectContaining({ operation: "services.delete", needsApproval: true }),
  );
});
