import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../../test/bin.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import { outputFormats } from "../../output/output.js";
import { run, startSession } from "../../../test/terminal.js";

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
    const flags = ["--output", "json", "--debug", "--yes", "--profile", "none", "--no-pager"];
    expect(await runInProcess(["completion", shell, ...flags])).toMatchObject({ status, stdout, stderr: "" });
  });
});

describe("completion of values", () => {
  const folder = temporaryFolder();
  beforeAll(ensureBuilt);

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
      ["base-url", "auth-url", "workspace-id", "project-id", "output", "pager", "update-notice"],
    ],
    ["config unset p", ["project-id", "pager"]],
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
    ["run -- --", []],
    ["run -- projects ", []],
  ])("completes the arguments of mgmt %s", async (line, expected) => {
    expect(await completionsOf(...line.split(" "))).toEqual(expected);
  });

  it.each([
    ["PO", ["POST"]],
    ["/v1/regions", ["/v1/regions", "/v1/regions/accelerate", "/v1/regions/postgres"]],
    ["regions/p", ["regions/postgres"]],
    ["POST /v1/pro", ["/v1/projects", "/v1/projects/"]],
    ["POST /v1/projects/p/d", ["/v1/projects/p/databases"]],
    ["DELETE /v1/projects", ["/v1/projects/"]],
    ["POST /v1/me", []],
    ["POST /v1/projects/p/databases/", []],
    ["FETCH /v1/", []],
    ["GET /v1/me ", []],
    ["//v1", []],
    ["projects//d", []],
  ])("completes mgmt api %s", async (line, expected) => {
    expect(await completionsOf("api", ...line.split(" "))).toEqual(expected);
  });

  it("completes the names and ids of resources, also while the service is stopped", async () => {
    const { server, env: access, close } = await startSession();
    const { id } = await server.engine.seed.project({ name: "shop" });
    const env = { ...access, MGMT_CONFIG_DIR: join(folder, "live") };
    const complete = async (...words: string[]) =>
      (await runInProcess(["complete", "--", ...words], { env })).stdout.split("\n").filter(Boolean);
    // On a busy machine the service may be slower than a shell may wait.
    await runInProcess(["complete", "--refresh", "--", "projects", "get", ""], { env });
    expect(await complete("projects", "get", "")).toEqual(["shop", id]);
    expect(await complete("databases", "list", "--project-id=sh")).toEqual(["--project-id=shop"]);
    expect(await complete("api", "GET", "/v1/projects/")).toEqual([`/v1/projects/${id}`]);
    expect(await complete("api", "projects/")).toEqual([`projects/${id}`]);
    expect(await complete("link", "--project-id=")).toEqual([`--project-id=${id}`]);
    expect(await complete("export", "x", "")).toEqual([id]);
    expect(await complete("config", "set", "project-id", "")).toEqual([id]);
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

  it("asks a slow service in the background, for the next time", async () => {
    const responses: ServerResponse[] = [];
    const server = createServer((_, response) => responses.push(response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const env = {
      MGMT_BASE_URL: `http://127.0.0.1:${address.port}`,
      MGMT_TOKEN: "t",
      MGMT_CONFIG_DIR: join(folder, "slow"),
    };
    const complete = () => run(["complete", "--", "projects", "get", ""], { env });
    expect(await complete()).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const background = async (): Promise<boolean> => {
      for (const response of responses.splice(0)) {
        response.setHeader("content-type", "application/json");
        response.end(
          '{"data":[{"id":"proj_1","name":"shop"}],"pagination":{"nextCursor":null,"hasMore":false}}',
        );
      }
      return readFileSync(join(folder, "slow", "completion.json"), "utf8").includes("shop");
    };
    await expect.poll(background, { timeout: 60_000 }).toBe(true);
    expect((await complete()).stdout).toBe("shop\nproj_1\n");
    expect(responses).toEqual([]);
    server.close();
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
    const names = await runInProcess(["complete", "--", "auth", "switch", ""], { env });
    expect(names.stdout).toBe("staging\nlocal\n");
    expect((await runInProcess(["complete", "--", "auth", "switch", "local", ""], { env })).stdout).toBe("");
  });
});
