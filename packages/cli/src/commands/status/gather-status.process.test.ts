import { execFileSync } from "node:child_process";
import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import { beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../../test/commands/auth/account.js";
import type { Setup } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";
import { useShopFolder } from "../../../test/shop-folder.js";

const current = useShopFolder();
let account: Account;
let folder: string;
let projectId: string;
let databaseId: string;
beforeEach(() => {
  ({ account, folder, projectId, databaseId } = current());
});

const run = (line: string, setup: Setup = {}): Promise<Result> =>
  current().run(line, { ...setup, env: { PATH: process.env["PATH"], ...setup.env } });

describe("mgmt status", () => {
  it("prints it as data, with the preview of the git branch", async () => {
    execFileSync("git", ["init", "--quiet", "--initial-branch", "feature/cart"], { cwd: folder });
    await run("preview up --secret-file preview.json");
    const { json, status, stderr } = await run("status -o json");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(json).toMatchObject({
      project: { id: projectId, name: "shop", region: null, from: "MGMT_PROJECT_ID" },
      databases: [
        {
          id: databaseId,
          status: "ready",
          isDefault: true,
          branch: "main",
          connections: 1,
          sizeBytes: expect.any(Number),
        },
        { branch: "feature/cart" },
      ],
      preview: { branch: "feature/cart", status: "ready" },
      waitingApprovals: null,
      copyMethod: null,
    });
  });

  it.each([
    ["runs", createProcessView().self, "clone"],
    ["has ended", undefined, null],
  ])("says how the mgmt dev of the profile copies databases, which %s", async (_, process, expected) => {
    account.store(({ active = "", profiles }) =>
      Object.assign(profiles[active] ?? {}, { process, copyMethod: "clone" }),
    );
    const { json, stderr } = await run("status -o json");
    expect({ json, stderr }).toMatchObject({ json: { copyMethod: expected }, stderr: "" });
    const { stdout } = await run("status");
    expect(stdout.includes("Copies    share the disk blocks of their source")).toBe(expected !== null);
    const other = await run("status -o json", { env: { MGMT_BASE_URL: account.server.baseUrl } });
    expect(other.json).toMatchObject({ copyMethod: null });
  });

  it("counts the requests of agents that wait, on a service of mgmt dev", async () => {
    const { engine, baseUrl } = account.server;
    const env = { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: await engine.tokens.agent(), MGMT_CONFIG_DIR: folder };
    await account.run(["projects", "delete", projectId, "--yes"], { env });
    const control = { MGMT_CONTROL_URL: `${baseUrl}/_control`, MGMT_CONTROL_SECRET_FILE: "-" };
    const { json } = await run("status -o json", { env: control, stdin: "control-secret-of-the-test" });
    expect(json).toMatchObject({ waitingApprovals: 1 });
  });
});
