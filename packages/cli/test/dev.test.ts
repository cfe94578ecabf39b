import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawn, spawnSync } from "node:child_process";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Platform } from "@mgmt/platform";
import { registerService } from "../src/commands/dev/registration.js";
import type { Output } from "../src/output/output.js";
import { bin, ensureBuilt } from "./bin.js";
import { expectValid, schemaOf, withoutOtherFields } from "./command-schemas.js";
import { inProcess, runInProcess } from "./in-process.js";
import type { Result } from "./result.js";

type Ready = Platform["ready"];

const folder = mkdtempSync(join(tmpdir(), "mgmt-dev-"));
beforeAll(ensureBuilt);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const configFolder = (): string => mkdtempSync(join(folder, "config-"));

const silent = { warn: () => Promise.reject(new Error("unexpected warning")) } as unknown as Output;

const readyOf = (fields: Partial<Ready>): Ready => ({
  baseUrl: "http://127.0.0.1:4300",
  authUrl: "http://127.0.0.1:4300",
  controlUrl: "http://127.0.0.1:4300/_control",
  controlSecretFile: "/data/control-secret",
  signInKeyFile: "/data/sign-in-key",
  token: "eyService",
  workspaceId: "wksp_1",
  caFile: "/data/ca.pem",
  postgresPort: 4302,
  pid: process.pid,
  ...fields,
});

const writeProfiles = (folder: string, content: object): void =>
  writeFileSync(join(folder, "config.json"), JSON.stringify(content));

const storedProfile = (folder: string, name: string): Record<string, string> | undefined => {
  // The tests assert what is in it.
  const { profiles } = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")) as {
    profiles: Record<string, Record<string, string>>;
  };
  return profiles[name];
};

describe("mgmt dev", () => {
  it("prints one line when it is ready, runs until Ctrl-C, and exits with 0", async () => {
    let connected: unknown;
    const { status, stdout, stderr } = await runInProcess(
      ["dev", "--ephemeral", "--port", "0", "--output", "json"],
      {
        env: { MGMT_CONFIG_DIR: configFolder() },
        interruptWhen: async (line) => {
          // The shape of the line is asserted below.
          const { baseUrl, token } = JSON.parse(line) as Record<string, string>;
          const env = { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token };
          const mgmt = inProcess({ env });
          const created = await mgmt`projects create shop --region eu-central-1 --wait --output json`;
          const { database } = created.json as { database: { connectionString: string } };
          const client = new pg.Client({ connectionString: database.connectionString });
          await client.connect();
          connected = (await client.query("select 1 as one")).rows;
          await client.end();
          return true;
        },
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(connected).toEqual([{ one: 1 }]);
    expect(stdout.split("\n")).toHaveLength(2);
    const ready: unknown = JSON.parse(stdout);
    expectValid(withoutOtherFields((await schemaOf("dev")).result), ready);
    expect(ready).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      authUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      controlUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_control$/),
      signInKeyFile: expect.stringMatching(/sign-in-key$/),
      controlSecretFile: expect.any(String),
      token: expect.stringMatching(/^ey/),
      workspaceId: expect.stringMatching(/^wksp_/),
      caFile: expect.stringMatching(/ca\.pem$/),
      postgresPort: expect.any(Number),
      pid: process.pid,
    });
  });

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "ends in an orderly way on %s, also while it starts",
    async (signal) => {
      for (const isReady of [false, true]) {
        const config = configFolder();
        const dataDir = join(config, "data");
        const child = spawn(process.execPath, [bin, "dev", "--port", "0", "--data-dir", dataDir], {
          env: { ...process.env, MGMT_CONFIG_DIR: config, MGMT_COVERAGE_FILE: "" },
          stdio: ["ignore", "pipe", "inherit"],
        });
        const ended = new Promise((resolve) => child.once("exit", (status, by) => resolve(by ?? status)));
        if (isReady) await new Promise((resolve) => child.stdout.once("data", resolve));
        else await vi.waitFor(() => expect(existsSync(join(dataDir, "platform.json"))).toBe(true), 60_000);
        child.kill(signal);
        expect(await ended).toBe(0);
        expect(existsSync(join(dataDir, "platform.lock"))).toBe(false);
        expect(existsSync(join(dataDir, "postgres", "postmaster.pid"))).toBe(false);
      }
    },
  );

  it("stores a working token in profile local, so that other commands need nothing else", async () => {
    const config = configFolder();
    const env = { MGMT_CONFIG_DIR: config };
    const mgmt = inProcess({ env });
    const results: Result[] = [];
    const dev = ["dev", "--data-dir", join(config, "data"), "--port", "0"];
    const run = (interruptWhen: (stdout: string) => Promise<boolean>): Promise<Result> =>
      runInProcess(dev, { env, interruptWhen });
    const first = await run(async () => {
      results.push(await mgmt`projects create shop --no-create-database -o json`);
      results.push(await mgmt`dev approvals list -o json`);
      return true;
    });
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(results).toMatchObject([{ status: 0 }, { status: 0, stdout: "[]\n" }]);
    expect(first.stdout).toContain("mgmt projects create shop --wait\n");
    expect(first.stdout).toContain("export MGMT_TOKEN=$(mgmt auth token)");
    const { token = "", pid, ...rest } = storedProfile(config, "local") ?? {};
    expect(token).toMatch(/^ey/);
    expect(pid).toBeUndefined();
    expect(first.stdout).not.toContain(token);

    const second = await run(async () => {
      results.push(await mgmt`projects list -o json`);
      return true;
    });
    expect(second.status).toBe(0);
    expect(results[2]?.json).toMatchObject([{ name: "shop" }]);
    expect(storedProfile(config, "local")).toEqual({ token, ...rest });
  });

  it("preserves a login to the service, the defaults of its profile, and the active profile", async () => {
    const config = configFolder();
    const env = { MGMT_CONFIG_DIR: config };
    const ready = readyOf({ controlSecretFile: "/data/control-secret" });
    const { baseUrl, authUrl, controlSecretFile } = ready;
    const login = { accessToken: "secret" };
    const local = { baseUrl, authUrl, controlSecretFile, login, workspaceId: "wksp_2", projectId: "proj_1" };
    const other = { baseUrl: "https://api.example.com", token: "other" };
    writeProfiles(config, { active: "work", profiles: { work: other, local } });
    expect(await registerService({ ready }, false, { env, output: silent })).toEqual({
      name: "local",
      isActive: false,
    });
    expect(storedProfile(config, "local")).toMatchObject(local);
    expect(storedProfile(config, "local")).not.toHaveProperty("token");
    expect(storedProfile(config, "work")).toEqual(other);
  });

  it.each([
    ["address", { baseUrl: "http://127.0.0.1:4301" }],
    ["data directory", { controlSecretFile: "/other/control-secret" }],
  ])("replaces a login to a service at another %s", async (_, difference) => {
    const config = configFolder();
    const env = { MGMT_CONFIG_DIR: config };
    const ready = readyOf({ controlSecretFile: "/data/control-secret" });
    const { baseUrl, authUrl, controlSecretFile } = ready;
    const local = { baseUrl, authUrl, controlSecretFile, ...difference, login: {}, projectId: "proj_1" };
    writeProfiles(config, { active: "local", profiles: { local } });
    await registerService({ ready }, false, { env, output: silent });
    const stored = storedProfile(config, "local");
    expect(stored).toMatchObject({ baseUrl, token: ready.token, workspaceId: ready.workspaceId });
    expect(stored).not.toHaveProperty("login");
    expect(stored).not.toHaveProperty("projectId");
  });

  it("uses its own profile if it is ephemeral, and removes it at the end", async () => {
    const config = configFolder();
    const env = { MGMT_CONFIG_DIR: config };
    const kept = { baseUrl: "http://127.0.0.1:4300", token: "kept" };
    writeProfiles(config, { active: "local", profiles: { local: kept } });
    const results: Result[] = [];
    const { status, stdout, stderr } = await runInProcess(["dev", "--ephemeral", "--port", "0"], {
      env,
      interruptWhen: async (text) => {
        const profile = /--profile (ephemeral-\d+)/.exec(text)?.[1] ?? "";
        const mgmt = inProcess({ env });
        results.push(await mgmt`projects list --profile ${profile} -o json`);
        results.push(await mgmt`dev approvals list -o json`);
        return true;
      },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("export MGMT_BASE_URL=http://127.0.0.1:");
    expect(results).toMatchObject([
      { status: 0, stdout: "[]\n" },
      { status: 0, stdout: "[]\n" },
    ]);
    expect(JSON.parse(readFileSync(join(config, "config.json"), "utf8"))).toEqual({
      active: "local",
      profiles: { local: kept },
    });
  });

  it("registers the clients of --oauth-client, under their ids with and without prefix", async () => {
    const clients = [
      ["--oauth-client", "clpublishedprogram=http://localhost/auth/callback"],
      ["--oauth-client", "itgr_clpublishedprogram=com.example.app:/callback,https://app.example/callback"],
    ].flat();
    const statuses: number[] = [];
    const args = ["dev", "--ephemeral", "--port", "0", "--output", "json", ...clients];
    const { status, stderr } = await runInProcess(args, {
      env: { MGMT_CONFIG_DIR: configFolder() },
      interruptWhen: async (line) => {
        // The shape of the line is asserted above.
        const { authUrl } = JSON.parse(line) as Record<string, string>;
        for (const [client_id, redirect_uri] of [
          ["clpublishedprogram", "http://localhost:51234/auth/callback"],
          ["itgr_clpublishedprogram", "com.example.app:/callback"],
          ["clpublishedprogram", "https://app.example/callback"],
          ["clpublishedprogram", "https://other.example/callback"],
          ["clotherprogram", "http://localhost:51234/auth/callback"],
        ] as const) {
          const challenge = { code_challenge: "c".repeat(43), code_challenge_method: "S256" };
          const query = new URLSearchParams({
            response_type: "code",
            client_id,
            redirect_uri,
            scope: "workspace:admin",
            ...challenge,
          });
          statuses.push((await fetch(`${String(authUrl)}/authorize?${String(query)}`)).status);
        }
        return true;
      },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(statuses).toEqual([200, 200, 200, 400, 400]);
  });

  it.each([
    [[], 201, 1],
    [["--unknown-fields", "refuse"], 422, 0],
  ] as const)("handles unknown body fields with the flags %j", async (flags, expected, lines) => {
    const statuses: number[] = [];
    const { status, stderr } = await runInProcess(
      ["dev", "--ephemeral", "--port", "0", "--output", "json", ...flags],
      {
        env: { MGMT_CONFIG_DIR: configFolder() },
        interruptWhen: async (line) => {
          // The shape of the line is asserted above.
          const { baseUrl, token } = JSON.parse(line) as Record<string, string>;
          for (const name of ["one", "two"]) {
            const response = await fetch(`${String(baseUrl)}/v1/projects`, {
              method: "POST",
              headers: { authorization: `Bearer ${String(token)}`, "content-type": "application/json" },
              body: JSON.stringify({ name, createDatabase: false, retired: true }),
            });
            statuses.push(response.status);
          }
          return true;
        },
      },
    );
    expect(status).toBe(0);
    expect(statuses).toEqual([expected, expected]);
    expect(stderr.match(/Ignored \/retired in the body of projects\.create/g) ?? []).toHaveLength(lines);
  });

  it("refuses another value of --unknown-fields", async () => {
    const result = await runInProcess(["dev", "--unknown-fields", "keep", "-o", "json"]);
    expect(result).toMatchObject({ status: 2, stdout: "" });
    expect(result.stderr).toContain("ignore, refuse");
  });

  it.each([
    ["clprogram", "has no ="],
    ["=http://localhost/callback", "has no client id"],
    ["clprogram=", "has an empty redirect URI"],
    ["clprogram=http://localhost/callback,", "has an empty redirect URI"],
  ])("refuses --oauth-client %s before it starts anything", async (value, problem) => {
    const result = await runInProcess(["dev", "--ephemeral", "--oauth-client", value, "-o", "json"]);
    expect(result).toMatchObject({ status: 2, stdout: "" });
    expect(JSON.parse(result.stderr)).toMatchObject({
      error: {
        code: "usage:invalid_value",
        message: expect.stringContaining(problem),
        hint: expect.stringContaining("ID=REDIRECT_URI"),
      },
    });
  });

  it.each([
    ["clprogram=http://app.example/callback", "is http, which only localhost"],
    ["my program=https://app.example/callback", "is not a client id"],
    ["mgmtsamplewebapplication=https://app.example/callback", "is confidential"],
  ])("stops with one error when --oauth-client %s cannot be registered", async (value, problem) => {
    const args = ["dev", "--ephemeral", "--port", "0", "--oauth-client", value, "-o", "json"];
    const result = await runInProcess(args);
    expect(result).toMatchObject({ status: 1, stdout: "" });
    expect(JSON.parse(result.stderr)).toMatchObject({
      error: {
        code: "platform:invalid_oauth_client",
        message: expect.stringContaining(problem),
        hint: expect.stringContaining("redirect URIs"),
      },
    });
  });

  it("leaves no active profile behind when its process was killed", async () => {
    const config = configFolder();
    const killed = spawnSync(process.execPath, ["-e", ""]).pid;
    const profile = { baseUrl: "http://127.0.0.1:4300", token: "old", pid: killed, ephemeral: true };
    writeProfiles(config, { active: "ephemeral-4300", profiles: { "ephemeral-4300": profile } });
    const env = { MGMT_CONFIG_DIR: config };
    const { stderr } = await inProcess({ env })`projects list`;
    expect(stderr).toMatch(/auth:no_token.*hint: Run mgmt login --base-url URL.*`mgmt dev`/s);
    await registerService({ ready: readyOf({}) }, false, { env, output: silent });
    expect(JSON.parse(readFileSync(join(config, "config.json"), "utf8"))).toMatchObject({ active: "local" });
    expect(storedProfile(config, "ephemeral-4300")).toBeUndefined();
  });

  it("prints the environment to set if its profile cannot be stored", async () => {
    const config = join(configFolder(), "file");
    writeFileSync(config, "");
    const { status, stdout, stderr } = await runInProcess(["dev", "--ephemeral", "--port", "0"], {
      env: { MGMT_CONFIG_DIR: config },
      interruptWhen: () => true,
    });
    expect(status).toBe(0);
    expect(stderr).toMatch(/^warning: Profile ephemeral-\d+ was not registered/);
    for (const next of ["export MGMT_BASE_URL=http://127.0.0.1:", "export MGMT_TOKEN=ey", "Ctrl-C"]) {
      expect(stdout).toContain(next);
    }
  });

  it("reports a port in use, and what to do", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { status, stdout, stderr } = await runInProcess(["dev", "--ephemeral", "--port", String(port)]);
    other.close();
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/platform:port_taken.*hint: .*--port/s);
  });

  it("reports a folder that is not a data directory, and leaves it unchanged", async () => {
    writeFileSync(join(folder, "notes.txt"), "mine");
    const { status, stderr } = await runInProcess(["dev", "--port", "0", "--data-dir", folder, "-o", "json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "platform:data_dir_corrupt", hint: expect.any(String) },
    });
  });

  it.each([
    { where: "in a project", folder: "app", command: "npm install --save-dev @mgmt/platform@" },
    { where: "globally", folder: "lib", command: "npm install --global @mgmt/platform@" },
    {
      where: "by npx",
      folder: "_npx/4f",
      command: "npx --package @mgmt/cli@[0-9.]+ --package @mgmt/platform@",
    },
    { where: "by nothing", folder: undefined, command: "npm install --global @mgmt/platform@" },
  ])("names the command that installs the platform if the CLI is installed $where", ({ folder, command }) => {
    const base = mkdtempSync(join(tmpdir(), "mgmt-copy-"));
    const installed = folder === undefined ? base : join(base, folder, "node_modules/@mgmt/cli/dist");
    cpSync(dirname(bin), installed, { recursive: true });
    if (folder !== undefined && folder !== "lib") writeFileSync(join(base, folder, "package.json"), "{}");
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(installed, "mgmt.js"), "dev"], {
      encoding: "utf8",
    });
    rmSync(base, { recursive: true });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(`platform:not_installed.*hint: Run: ${command}\\d+\\.\\d+\\.\\d+`, "s"),
    );
  });
});
