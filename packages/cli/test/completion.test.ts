import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "./folders.js";
import { bin, ensureBuilt } from "./bin.js";
import { runInProcess } from "./in-process.js";

const after = async (...words: string[]): Promise<string[]> => {
  const { status, stdout } = await runInProcess(["complete", "--", ...words]);
  expect(status).toBe(0);
  return stdout.split("\n").filter(Boolean);
};

describe("completion", () => {
  it("knows groups and commands", async () => {
    expect(await after("data")).toEqual(["databases"]);
    expect(await after("")).toEqual(expect.arrayContaining(["projects", "dev", "operations"]));
    expect(await after("")).not.toContain("complete");
    expect(await after("projects", "de")).toEqual(["delete"]);
    expect(await after("db", "backups", "")).toEqual(["list"]);
    expect(await after("nothing", "here", "x")).toEqual([]);
  });

  it("knows flags, and the values that they allow", async () => {
    expect(await after("projects", "list", "--li")).toEqual(["--limit"]);
    expect(await after("projects", "create", "--region", "eu-")).toEqual(["eu-west-3", "eu-central-1"]);
    expect(await after("projects", "list", "-o", "")).toEqual(["table", "json", "yaml"]);
    expect(await after("projects", "create", "--name", "list", "--cr")).toEqual(["--create-database"]);
    expect(await after("projects", "transfer", "p", "--rec")).toEqual(["--recipient-access-token-file"]);
  });

  it("refuses a shell that it does not know", async () => {
    expect(await runInProcess(["completion", "tcsh"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Allowed: bash, zsh, fish."),
    });
  });

  it.each(["zsh", "fish"])("has a script for %s that asks mgmt", async (shell) => {
    const { stdout, status } = await runInProcess(["completion", shell]);
    expect(status).toBe(0);
    expect(stdout).toContain("mgmt complete -- ");
  });
});

describe("completion in a real bash", () => {
  beforeAll(ensureBuilt);

  it("completes a word", () => {
    const path = temporaryFolder();
    symlinkSync(bin, join(path, "mgmt"));
    const script = `source <(mgmt completion bash); COMP_WORDS=(mgmt projects cre); COMP_CWORD=2; _mgmt; echo "\${COMPREPLY[@]}"`;
    const env = { PATH: `${path}:${process.env["PATH"] ?? ""}` };
    expect(execFileSync("bash", ["-c", script], { env, encoding: "utf8", stdio: "pipe" })).toBe("create\n");
  });
});
