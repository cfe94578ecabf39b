import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { useMcpSetup } from "../../test/mcp/mcp-setup.js";
import { groups } from "../contract/generated/groups.js";

const { open } = useMcpSetup();

describe("the list of tools", () => {
  it("has about 20 tools in a stable order, in at most 2,500 tokens of o200k_base", async () => {
    const first = await (await open()).client.listTools();
    const second = await (await open()).client.listTools();
    expect(first.tools).toEqual(second.tools);
    expect(first.tools.map(({ name }) => name)).toMatchInlineSnapshot(`
      [
        "context",
        "query",
        "approval_wait",
        "regions_list",
        "projects_list",
        "projects_get",
        "databases_list",
        "databases_get",
        "databases_backups_list",
        "projects_ensure",
        "databases_ensure",
        "branches_ensure",
        "connections_create",
        "databases_restore",
        "databases_delete",
        "connections_rotate",
        "branches_delete",
        "operations_search",
        "operation_read",
        "operation_write",
      ]
    `);
    expect(countTokens(JSON.stringify(first.tools))).toBeLessThanOrEqual(2_500);
  });

  it("has the annotations of the contract", async () => {
    const { client } = await open({ options: { includesAllTools: true } });
    const { tools } = await client.listTools();
    const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
    for (const { id, method, approval = false, body } of definitions) {
      const tool = tools.find(({ name }) => name === id.replaceAll(".", "_"));
      const takesSecret = body?.fields.some(({ secret }) => secret) ?? false;
      const isRead = method === "GET";
      const annotations = { readOnlyHint: isRead, destructiveHint: approval, idempotentHint: isRead };
      expect({ id, annotations: tool?.annotations }).toEqual({
        id,
        annotations: takesSecret ? undefined : annotations,
      });
    }
    const ensures = tools.filter(({ name }) => name.endsWith("_ensure"));
    expect(ensures.length).toBeGreaterThanOrEqual(5);
    for (const { annotations } of ensures)
      expect(annotations).toEqual({ readOnlyHint: false, destructiveHint: false, idempotentHint: true });
  });

  it("is that of the core tools, and the others say which tool calls them", async () => {
    const { call, client } = await open();
    expect(await call("projects_branches_list", {})).toMatchObject({
      isError: true,
      error: { code: "mcp:unlisted_tool", hint: expect.stringContaining("operation_read with") },
    });
    expect(await call("projects_transfer", {})).toMatchObject({
      error: { code: "mcp:unlisted_tool", hint: expect.stringContaining("operation_write with") },
    });
    for (const name of ["projects_explode", "", "constructor", "\u001b[2J"])
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });
});
