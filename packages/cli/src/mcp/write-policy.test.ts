import { describe, expect, it } from "vitest";
import type { ClientSetup } from "../../test/mcp/mcp-client.js";
import { useMcpSetup } from "../../test/mcp/mcp-setup.js";

const { open, asUser, readAudit } = useMcpSetup();

describe("the write policy", () => {
  it.each<[string, { env?: () => NodeJS.ProcessEnv; options?: ClientSetup["options"] }, string, string]>([
    ["an agent that may only read", { options: { isReadOnly: true } }, "mcp:read_only", "--read-only"],
    ["a user", { env: asUser }, "mcp:user_credential", "--allow-user-writes"],
    [
      "a user although writes are allowed",
      { env: asUser, options: { isReadOnly: true, allowsUserWrites: true } },
      "mcp:read_only",
      "--read-only",
    ],
    ["nobody", { env: () => ({ MGMT_TOKEN: undefined }) }, "auth:no_token", "mgmt login"],
  ])(
    "has only readers for %s, and the others say why they are missing",
    async (_, { env, options }, code, hint) => {
      const { client, call } = await open({
        ...(env && { env: env() }),
        options: { ...options, includesAllTools: true },
      });
      const { tools } = await client.listTools();
      expect(tools.length).toBeGreaterThan(20);
      expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
      const rejection = { code, hint: expect.stringContaining(hint) };
      for (const [tool, args] of [
        ["databases_delete", { databaseId: "db_1" }],
        ["branches_ensure", { surplus: 1 }],
        ["operation_write", { operation: "projects.delete", arguments: { projectId: "proj_1" } }],
        ["operation_read", { operation: "projects.delete", arguments: { projectId: "proj_1" } }],
        ["projects_delete", {}],
      ] as const)
        expect({ tool, ...(await call(tool, args)) }).toMatchObject({
          tool,
          isError: true,
          error: rejection,
        });
      expect(readAudit().filter(({ outcome }) => outcome === "started")).toEqual([]);
      expect(await call("context")).toMatchObject({ writes: "none", noWritesBecause: rejection });
      expect(await call("operations_search", { words: "delete project" })).toMatchObject({
        leftOut: expect.arrayContaining(["projects.delete"]),
        because: rejection,
      });
    },
  );
});
