import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "./bin.js";
import { inProcess } from "./in-process.js";
import { run } from "./terminal.js";
import { startRepository } from "./repository.js";
import { openWorkplace, type Workplace } from "./workplace.js";

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace();
  startRepository(workplace);
  writeFileSync(join(workplace.folder, "notes.txt"), "a file, not a folder");
});
afterAll(() => workplace.close());

const createConnection = "databases connections create db_ worker -o json";

/** Runs a line, and returns how it ended with the code of its only error. */
const failed = async (line: string, env: NodeJS.ProcessEnv = {}): Promise<object> => {
  const words = line.split(" ").map((word) => workplace.ids[word] ?? word);
  const { status, stderr } = await workplace.run(words, { env, stdin: "token" });
  const errors = stderr.split("\n").filter((text) => /^(error: |\{"error")/.test(text));
  expect(errors, stderr).toHaveLength(1);
  expect(stderr).toMatch(/hint/);
  return { status, code: /[a-z_]+:[a-z_]+(?=\)|")/.exec(errors[0] ?? "")?.[0] };
};

// It reports that the disk is full for every write.
describe.runIf(existsSync("/dev/full"))("a full disk", () => {
  it.each([
    ["plan --out /dev/full", "file:unwritable"],
    ["preview up --branch first --file /dev/full", "variable:unwritable"],
  ])("is reported by the command that saves a file: mgmt %s", async (line, code) => {
    expect(await failed(line, { GITHUB_ENV: "/dev/full" })).toEqual({ status: 1, code });
  });

  it("neither receives secrets nor is replaced by a file with them", async () => {
    const before = workplace.server.engine.requests.length;
    const line = `${createConnection} --secret-file /dev/full`;
    expect(await failed(line)).toEqual({ status: 2, code: "secret_file:exists" });
    expect(workplace.server.engine.requests).toHaveLength(before);
    expect(await failed("env --file /dev/full")).toEqual({ status: 1, code: "env:unwritable" });
    expect(statSync("/dev/full").isFile()).toBe(false);
  });
});

describe("standard error without a reader", () => {
  it("does not end a command that goes on after a message", async () => {
    await ensureBuilt();
    const { server } = workplace;
    const child = spawn(process.execPath, [bin, "projects", "list", "--output", "name", "--debug"], {
      env: { MGMT_BASE_URL: server.baseUrl, MGMT_TOKEN: await server.engine.tokens.user() },
      stdio: "pipe",
    });
    child.stderr.destroy();
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    expect(await once(child, "close")).toEqual([0, null]);
    expect(stdout).toContain(workplace.ids["proj_"]);
  });
});

describe("a folder that cannot exist", () => {
  it.each([
    ["plan --out notes.txt/plan.json", "file:unwritable"],
    ["preview up --branch second --file notes.txt/.env", "env:unwritable"],
    ["env --file notes.txt/.env", "env:unwritable"],
    [`${createConnection} --secret-file notes.txt/secret`, "secret_file:unwritable"],
  ])("is reported by the command that saves a file there: mgmt %s", async (line, code) => {
    expect(await failed(line)).toEqual({ status: 1, code });
    expect(readdirSync(workplace.folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it.each(["config set base-url http://127.0.0.1:1", "login --with-token --base-url http://127.0.0.1:1"])(
    "is reported as the home of the profiles by a command that changes them: mgmt %s",
    async (line) => {
      const env = { MGMT_CONFIG_DIR: join(workplace.folder, "notes.txt/mgmt") };
      expect(await failed(line, env)).toEqual({ status: 1, code: "profiles:unwritable" });
    },
  );

  it("is no problem for commands that get the address and the token from the environment", async () => {
    const { server, folder } = workplace;
    const env = {
      MGMT_CONFIG_DIR: join(folder, "notes.txt/mgmt"),
      MGMT_BASE_URL: server.baseUrl,
      MGMT_TOKEN: await server.engine.tokens.user(),
    };
    const mgmt = inProcess({ env });
    expect(await mgmt`projects list -o name`).toMatchObject({ status: 0, stderr: "" });
    expect(await mgmt`auth list -o json`).toMatchObject({ status: 0, stdout: "[]\n" });
  });
});

// Nothing can be created in it, although it looks writable to root.
describe.runIf(process.platform === "linux")("a folder in which the system creates nothing", () => {
  it("is reported as the home of the profiles, and ends no other command", async () => {
    for (const env of [{ MGMT_CONFIG_DIR: "/proc/mgmt" }, { MGMT_CONFIG_DIR: "/proc/mgmt/a/b" }])
      expect(await failed("config set base-url http://127.0.0.1:1", env)).toEqual({
        status: 1,
        code: "profiles:unwritable",
      });
  });

  it("is no reason for a command not to end, as the folder of settings, caches, and data", async () => {
    await ensureBuilt();
    const env = {
      XDG_CONFIG_HOME: "/proc",
      XDG_CACHE_HOME: "/proc",
      XDG_STATE_HOME: "/proc",
      MGMT_CONFIG_DIR: "",
    };
    expect(await run(["version"], { env })).toMatchObject({ status: 0, stderr: "" });
    const set = await run(["config", "set", "base-url", "http://127.0.0.1:1"], { env });
    expect(set).toMatchObject({ status: 1, stdout: "" });
    expect(set.stderr).toMatch(/profiles:unwritable.*hint: /s);
  });
});
