import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "./folders.js";
import { bin, ensureBuilt } from "./bin.js";
import { runInProcess } from "./in-process.js";

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
    expect(await completionsOf("projects", "list", "-o", "")).toEqual(["table", "json", "yaml"]);
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
      stderr: expect.stringContaining("Allowed: bash, zsh, fish."),
    });
  });

  it.each(["zsh", "fish"])("prints a script for %s that calls mgmt", async (shell) => {
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
