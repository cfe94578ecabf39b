import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useMcpSetup } from "../../test/mcp/mcp-setup.js";

const mcp = useMcpSetup();
const { root, open, rows, seedProject } = mcp;

describe("an env file", () => {
  const prepare: Record<string, () => void> = {
    link: () => symlinkSync(join(root, "elsewhere"), join(mcp.folder, ".env.link")),
    linkedFolder: () => symlinkSync(root, join(mcp.folder, "linked")),
    openQuote: () => writeFileSync(join(mcp.folder, ".env"), 'A="1\n'),
    folder: () => mkdirSync(join(mcp.folder, ".env")),
  };

  it.each<[string, { envFile?: string; envName?: string }, string | undefined, string]>([
    ["outside of the folder", { envFile: "../.env" }, undefined, "mcp:env_file_refused"],
    ["with an absolute path elsewhere", { envFile: join(root, ".env") }, undefined, "mcp:env_file_refused"],
    ["that is no env file", { envFile: "package.json" }, undefined, "mcp:env_file_refused"],
    ["of git itself", { envFile: ".git/config" }, undefined, "mcp:env_file_refused"],
    ["in a folder that does not exist", { envFile: "none/.env" }, undefined, "mcp:env_file_refused"],
    ["that is a link", { envFile: ".env.link" }, "link", "env:unwritable"],
    ["in a folder that is a link", { envFile: "linked/.env" }, "linkedFolder", "env:unwritable"],
    ["with a quote that has no end", {}, "openQuote", "env:invalid"],
    ["that is a folder", {}, "folder", "env:unwritable"],
    [
      "with a variable that changes how programs run",
      { envName: "NODE_OPTIONS" },
      undefined,
      "variable:reserved",
    ],
    ["with a variable that is none", { envName: "A B" }, undefined, "usage:invalid"],
    ["with an empty path", { envFile: "" }, undefined, "mcp:invalid_arguments"],
  ])("%s is refused before anything is created", async (_, args, preparation, code) => {
    const { id, databaseId } = await seedProject();
    if (preparation !== undefined) prepare[preparation]?.();
    const { call } = await open({ env: { MGMT_PROJECT_ID: id } });
    for (const result of [
      await call("databases_ensure", { logicalId: "new", ...args }),
      await call("connections_create", { databaseId, name: "new", ...args }),
    ]) {
      expect(result).toMatchObject({ isError: true, status: "error", error: { code } });
      expect(JSON.stringify(result)).toMatch(/envFile|envName/);
      expect(JSON.stringify(result)).not.toMatch(/--\w/);
      expect(JSON.stringify(result).replace(args.envFile ?? "", "")).not.toContain(root);
    }
    expect(rows().databases.list({ projectId: id })).toHaveLength(1);
    expect(rows().connections.list({ databaseId })).toHaveLength(1);
    expect(existsSync(join(root, ".env"))).toBe(false);
  });
});
