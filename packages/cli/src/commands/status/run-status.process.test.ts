import { beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../../test/commands/auth/account.js";
import type { Setup } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";
import { useShopFolder } from "../../../test/shop-folder.js";

const current = useShopFolder();
let account: Account;
let projectId: string;
let databaseId: string;
beforeEach(() => {
  ({ account, projectId, databaseId } = current());
});

const run = (line: string, setup: Setup = {}): Promise<Result> =>
  current().run(line, { ...setup, env: { PATH: process.env["PATH"], ...setup.env } });

describe("mgmt status", () => {
  it("shows the project, where it comes from, and its databases", async () => {
    const { status, stdout, stderr } = await run("status");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`Project   shop (${projectId}), from MGMT_PROJECT_ID`);
    expect(stdout).toContain(account.server.baseUrl);
    expect(stdout).toMatch(new RegExp(`${databaseId} .* ready .*main`));
  });

  it.each([
    [40, () => ["Project", `  shop (${projectId}),`, "  from MGMT_PROJECT_ID"]],
    [60, () => [`Project   shop (${projectId}), from`, "          MGMT_PROJECT_ID"]],
  ])("keeps ids and words whole at %i columns", async (columns, lines) => {
    const { stdout } = await run("status", { terminal: true, columns, env: { NO_COLOR: "1" } });
    expect(stdout).toContain(`\n${lines().join("\n")}\n`);
  });

  it("says how to choose a project if there is none", async () => {
    const { status, stdout } = await run("status", { env: { MGMT_PROJECT_ID: "" } });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("none: mgmt link") });
    const { json } = await run("status -o json", { env: { MGMT_PROJECT_ID: "" } });
    expect(json).toMatchObject({ project: null, databases: [] });
  });

  it.each([
    ["status --project-id proj_000000000000000000000000", 6, "project:not_found"],
    ["status --interval soon", 2, "--interval"],
    ["status --watch -o yaml", 2, "text or JSON"],
    ["status shop", 2, "does not accept"],
  ])("refuses a wrong command line: %s", async (line, status, text) => {
    const result = await run(line);
    expect([result.status, result.stdout, result.stderr]).toEqual([
      status,
      "",
      expect.stringContaining(text),
    ]);
  });
});

describe("mgmt status --watch", () => {
  /** Runs a watch until it has printed a string. Makes a change when it has printed the first status. */
  const watch = (line: string, until: string, setup: Setup = {}): Promise<Result> => {
    let isChanged = false;
    return run(`${line} --interval 20ms`, {
      ...setup,
      interruptWhen: async (stdout) => {
        if (!isChanged && stdout.includes(databaseId)) {
          isChanged = true;
          await account.server.engine.seed.database(projectId, { name: "reports" });
        }
        return stdout.includes(until);
      },
    });
  };

  it("prints a line for each change, and ends with 0 after Ctrl-C", async () => {
    const { status, stdout, stderr } = await watch("status", "created");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/\ndatabase reports \(db_\w+\): created, ready\n$/);
    expect(stdout.match(/Project/g)).toHaveLength(1);
  });

  it("prints the whole status as one line of JSON for each change", async () => {
    const { status, stdout } = await watch("status -o json", "reports");
    expect(status).toBe(0);
    const lines = stdout.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { databases: unknown[] }).databases.length)).toEqual([
      1, 2,
    ]);
  });

  it("draws it again on a terminal", async () => {
    const { status, stdout } = await watch("status", "reports", { terminal: true });
    expect(status).toBe(0);
    expect(stdout.match(/Project/g)).toHaveLength(2);
    expect(stdout.match(/\u001b\[H\u001b\[J/g)).toHaveLength(2);
  });

  it("warns once of an outage, however it shows, and says when it is over", async () => {
    const { engine } = account.server;
    let isChanged = false;
    const result = await run("status --interval 20ms", {
      slowRequestMs: 0,
      interruptWhen: async (stdout) => {
        if (!isChanged) {
          isChanged = true;
          for (const status of [400, 409]) engine.faults.add({ operation: "projects.get", status, times: 1 });
          // The client itself sends this one again.
          engine.faults.add({ operation: "projects.get", status: 503, times: 1 });
          await engine.seed.database(projectId, { name: "later" });
        }
        return stdout.includes("created");
      },
    });
    expect(result.status).toBe(0);
    expect(result.stderr).toMatch(/^(?:Still waiting.*\n)*warning: .*\nThe service responds again\.\n$/);
  });

  it("warns of an outage, and of a login that ends meanwhile", async () => {
    const { engine } = account.server;
    let isChanged = false;
    const { stderr } = await run("status --interval 20ms -o json", {
      interruptWhen: async (stdout) => {
        if (!isChanged) {
          isChanged = true;
          engine.faults.add({ operation: "projects.get", status: 400, times: 2 });
          engine.faults.add({ operation: "projects.get", status: 403, times: 2 });
          await engine.seed.database(projectId, { name: "later" });
        }
        return stdout.includes("later");
      },
    });
    const codes = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { warning?: unknown; notice?: { code: string } });
    expect(codes).toMatchObject([{ warning: {} }, { warning: {} }, { notice: { code: "status:back" } }]);
  });
});
