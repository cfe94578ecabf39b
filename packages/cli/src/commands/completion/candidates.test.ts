import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import { outputFormats } from "../../output/output-format.js";

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
    expect(await completionsOf("database", "backups", "")).toEqual(["list"]);
    expect(await completionsOf("nothing", "here", "x")).toEqual([]);
  });

  it("completes flags and their allowed values", async () => {
    expect(await completionsOf("projects", "list", "--li")).toEqual(["--limit"]);
    expect(await completionsOf("projects", "create", "--region", "eu-")).toEqual([
      "eu-west-3",
      "eu-central-1",
    ]);
    expect(await completionsOf("projects", "list", "-o", "")).toEqual([...outputFormats]);
    expect(await completionsOf("projects", "create", "--name", "list", "--cr")).toEqual([
      "--create-database",
    ]);
    expect(await completionsOf("projects", "transfer", "p", "--rec")).toEqual([
      "--recipient-access-token-file",
    ]);
  });
});

describe("completion of values", () => {
  const folder = temporaryFolder();

  it("completes allowed values after =", async () => {
    expect(await completionsOf("projects", "create", "--region=eu-c")).toEqual(["--region=eu-central-1"]);
    expect(await completionsOf("projects", "list", "--output=")).toEqual(
      outputFormats.map((format) => `--output=${format}`),
    );
    expect(await completionsOf("dev", "--unknown-fields=")).toEqual([
      "--unknown-fields=ignore",
      "--unknown-fields=refuse",
    ]);
    expect(await completionsOf("login", "--store", "k")).toEqual(["keyring"]);
    expect(await completionsOf("projects", "list", "--limit=")).toEqual([]);
  });

  it.each([
    [
      "config get ",
      ["base-url", "auth-url", "workspace-id", "project-id", "output", "pager", "protect", "update-notice"],
    ],
    ["config unset p", ["project-id", "pager", "protect"]],
    ["config get output ", []],
    ["config set output y", ["yaml"]],
    ["config set pager ", ["on", "off"]],
    ["config set base-url ", []],
    ["config set nothing ", []],
    ["config set pager on ", []],
    ["completion ", ["bash", "zsh", "fish", "powershell"]],
    ["completion bash ", []],
    ["help ou", ["output"]],
    ["help projects de", ["delete"]],
    ["schema databases ba", ["backups"]],
    ["schema databases backups ", ["list"]],
    ["schema nothing ", []],
    ["projects list -o y", ["yaml"]],
    ["databases get -- -o y", []],
    ["run -- --", []],
    ["run -- projects ", []],
  ])("completes the arguments of mgmt %s", async (line, expected) => {
    expect(await completionsOf(...line.split(" "))).toEqual(expected);
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
    const names = await runInProcess(["complete", "--", "auth", "switch", ""], { env });
    expect(names.stdout).toBe("staging\nlocal\n");
    expect((await runInProcess(["complete", "--", "auth", "switch", "local", ""], { env })).stdout).toBe("");
  });
});
