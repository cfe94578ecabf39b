import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "./folders.js";
import { bin, ensureBuilt } from "./bin.js";
import { runInProcess } from "./in-process.js";
import { formats } from "../src/output/output.js";
import { startSession } from "./terminal.js";

const completionsOf = async (...words: string[]): Promise<string[]> => {
  const { status, stdout } = await runInProcess(["complete", "--", ...words]);
  expect(status).toBe(0);
  return stdout.split("\n").filter(Boolean);
};

describe("completion", () => {
  it("completes groups and commands", async () => {
    expect(await completionsOf("data")).toEqual(["databases"]);
    expect(await completionsOf("")).toEqual(expect.arrayContaining(["projects", "dev", "operations"]));
    expect(await completionsOf("")).not.toContain("complete");
    expect(await completionsOf("projects", "de")).toEqual(["delete"]);
    expect(await completionsOf("db", "backups", "")).toEqual(["list"]);
    expect(await completionsOf("nothing", "here", "x")).toEqual([]);
  });

  it("completes flags and their allowed values", async () => {
    expect(await completionsOf("projects", "list", "--li")).toEqual(["--limit"]);
    expect(await completionsOf("projects", "create", "--region", "eu-")).toEqual([
      "eu-west-3",
      "eu-central-1",
    ]);
    expect(await completionsOf("projects", "list", "-o", "")).toEqual([...formats]);
    expect(await completionsOf("projects", "create", "--name", "list", "--cr")).toEqual([
      "--create-database",
    ]);
    expect(await completionsOf("projects", "transfer", "p", "--rec")).toEqual([
      "--recipient-access-token-file",
    ]);
  });

  it("refuses an unknown shell", async () => {
    expect(await runInProcess(["completion", "tcsh"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Allowed: bash, zsh, fish, powershell."),
    });
  });

  it.each(["zsh", "fish", "powershell"])("prints a script for %s that calls mgmt", async (shell) => {
    const { stdout, status } = await runInProcess(["completion", shell]);
    expect(status).toBe(0);
    expect(stdout).toContain("mgmt complete -- ");
  });
});

describe("completion for zsh", () => {
  it("completes at the first TAB when it is autoloaded", async () => {
    const { stdout } = await runInProcess(["completion", "zsh"]);
    // zsh calls the file as the function `_mgmt` the first time, so that its last line must complete.
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(
      'if [ "${funcstack[1]}" = _mgmt ]; then _mgmt "$@"; else compdef _mgmt mgmt; fi',
    );
  });
});

describe("completion of values", () => {
  const folder = temporaryFolder();

  it("completes allowed values after =, in one word and as bash splits it", async () => {
    expect(await completionsOf("projects", "create", "--region=eu-c")).toEqual(["--region=eu-central-1"]);
    expect(await completionsOf("projects", "create", "--region", "=", "eu-c")).toEqual(["eu-central-1"]);
    expect(await completionsOf("projects", "list", "--output", "=")).toEqual([...formats]);
  });

  it("completes the names and ids of resources, also while the service is stopped", async () => {
    const { server, env: access, close } = await startSession();
    const { id } = await server.engine.seed.project({ name: "shop" });
    const env = { ...access, MGMT_CONFIG_DIR: join(folder, "live") };
    const complete = async (...words: string[]) =>
      (await runInProcess(["complete", "--", ...words], { env })).stdout.split("\n").filter(Boolean);
    // On a busy machine the service may be slower than a shell may wait.
    await expect.poll(() => complete("projects", "get", ""), { timeout: 20_000 }).toEqual(["shop", id]);
    expect(await complete("databases", "list", "--project-id=sh")).toEqual(["--project-id=shop"]);
    expect(await complete("projects", "delete", "shop", "proj_")).toEqual([id]);
    const requests = server.engine.requests.length;
    await complete("projects", "get", "");
    expect(server.engine.requests).toHaveLength(requests);
    await close();
    expect(await complete("projects", "get", "sh")).toEqual(["shop"]);
    const cache = readFileSync(join(folder, "live", "completion.json"), "utf8");
    expect(cache).not.toContain(access["MGMT_TOKEN"]);
    expect(statSync(join(folder, "live", "completion.json")).mode & 0o777).toBe(0o600);
  });

  it("completes nothing, without an error, if the service cannot be reached or nobody is logged in", async () => {
    const env = {
      MGMT_BASE_URL: "http://127.0.0.1:1",
      MGMT_TOKEN: "t",
      MGMT_CONFIG_DIR: join(folder, "none"),
    };
    for (const each of [env, {}]) {
      const result = await runInProcess(["complete", "--", "projects", "get", ""], { env: each });
      expect(result).toMatchObject({ status: 0, stdout: "", stderr: "" });
    }
  });

  it("completes profiles", async () => {
    const env = { MGMT_CONFIG_DIR: join(folder, "profiles") };
    mkdirSync(env.MGMT_CONFIG_DIR);
    const profiles = {
      staging: { baseUrl: "https://a.example.com" },
      local: { baseUrl: "http://127.0.0.1:1" },
    };
    writeFileSync(join(env.MGMT_CONFIG_DIR, "config.json"), JSON.stringify({ profiles }), { mode: 0o600 });
    const { stdout } = await runInProcess(["complete", "--", "projects", "list", "--profile", "s"], { env });
    expect(stdout).toBe("staging\n");
  });
});

describe("completion in a real bash", () => {
  const path = temporaryFolder();
  beforeAll(ensureBuilt);

  it("completes a word", () => {
    symlinkSync(bin, join(path, "mgmt"));
    const script = `source <(mgmt completion bash); COMP_WORDS=(mgmt projects cre); COMP_CWORD=2; _mgmt; echo "\${COMPREPLY[@]}"`;
    const env = { PATH: `${path}:${process.env["PATH"] ?? ""}` };
    expect(execFileSync("bash", ["-c", script], { env, encoding: "utf8", stdio: "pipe" })).toBe("create\n");
  });
});
