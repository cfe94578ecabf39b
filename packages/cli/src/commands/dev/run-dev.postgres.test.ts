import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import type { Platform } from "@mgmt/platform";
import { registerService, unregisterService } from "./registration.js";
import type { Output } from "../../output/output.js";
import { ensureBuilt } from "../../../test/bin.js";
import { temporaryFolder } from "../../../test/folders.js";
import { inProcess, runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";

type Ready = Platform["ready"];

const folder = temporaryFolder();
beforeAll(ensureBuilt);

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
  copyMethod: "copy",
  pid: process.pid,
  ...fields,
});

const here = createProcessView();

const killedProfile = { baseUrl: "http://127.0.0.1:4300", token: "old", ephemeral: true };

const writeProfiles = (folder: string, content: object): void =>
  writeFileSync(join(folder, "config.json"), JSON.stringify(content));

const readJson = (folder: string): unknown => JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));

const storedProfile = (folder: string, name: string): Record<string, string> | undefined => {
  // The tests assert what is in it.
  const { profiles } = readJson(folder) as {
    profiles: Record<string, Record<string, string>>;
  };
  return profiles[name];
};

describe("the profile of mgmt dev", () => {
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
    const { token = "", process: running, startedAt, ...rest } = storedProfile(config, "local") ?? {};
    expect(startedAt).toMatch(/Z$/);
    expect(token).toMatch(/^ey/);
    expect(running).toBeUndefined();
    expect(first.stdout).not.toContain(token);

    Object.assign(env, { npm_lifecycle_event: "npx", npm_lifecycle_script: "mgmt" });
    const second = await run(async () => {
      results.push(await mgmt`projects list -o json`);
      return true;
    });
    expect(second.status).toBe(0);
    expect(second.stdout).toContain("export MGMT_TOKEN=$(npx @mgmt/cli auth token)");
    expect(results[2]?.json).toMatchObject([{ name: "shop" }]);
    expect(storedProfile(config, "local")).toEqual({ token, startedAt: expect.any(String), ...rest });
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
    expect(readJson(config)).toEqual({
      active: "local",
      profiles: { local: kept },
    });
  });

  it("leaves the profile of a service that runs to it, and says which profile it has until it ends", async () => {
    const config = configFolder();
    const env = { MGMT_CONFIG_DIR: config };
    const mgmt = inProcess({ env });
    const dev = (data: string): string[] => ["dev", "--data-dir", join(config, data), "--port", "0"];
    const results: Result[] = [];
    let second: Result | undefined;
    const first = await runInProcess(dev("first"), {
      env,
      interruptWhen: async () => {
        results.push(await mgmt`projects create shop --no-create-database -o json`);
        second = await runInProcess(dev("second"), {
          env,
          interruptWhen: async (text) => {
            const profile = /--profile (local-\d+)/.exec(text)?.[1] ?? "";
            results.push(await mgmt`projects list --profile ${profile} -o json`);
            const port = profile.replace("local-", "");
            results.push(await mgmt`dev --ephemeral --port ${port} -o json`);
            results.push(await mgmt`doctor -o json`);
            return true;
          },
        });
        results.push(await mgmt`projects list -o json`);
        return true;
      },
    });
    expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: "" });
    const [, ofSecond, taken, checks, afterwards] = results;
    expect(second).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        new RegExp(
          `^Another mgmt dev \\(process ${String(process.pid)}, data directory ${join(config, "first")}\\) has the profile local\\. .*--profile local-\\d+\\.\n$`,
        ),
      ),
    });
    expect(ofSecond).toMatchObject({ status: 0, stdout: "[]\n" });
    expect(taken).toMatchObject({ status: 1, stdout: "" });
    expect(taken?.stderr).toMatch(/platform:port_taken.*another mgmt dev \(process \d+, data directory/s);
    expect(taken?.stderr).toContain(join(config, "second"));
    expect(checks?.stdout).toContain(`data directory ${join(config, "second")}`);
    expect(afterwards?.json).toMatchObject([{ name: "shop" }]);
    expect(readJson(config)).toMatchObject({
      active: "local",
      profiles: { local: { token: expect.any(String) } },
    });
  });

  it("is the active one while another mgmt dev, which has ended, has the active one", async () => {
    const config = configFolder();
    const env = { MGMT_CONFIG_DIR: config };
    const { pid: _, ...local } = { ...readyOf({}), token: "kept" };
    writeProfiles(config, { active: "local", profiles: { local } });
    const results: Result[] = [];
    const { status, stdout, stderr } = await runInProcess(["dev", "--ephemeral", "--port", "0"], {
      env,
      interruptWhen: async () => {
        results.push(await inProcess({ env })`projects list -o json`);
        return true;
      },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(results).toMatchObject([{ status: 0, stdout: "[]\n" }]);
    expect(stdout).toContain("mgmt projects create shop --wait\n");
    expect(readJson(config)).toEqual({
      active: "local",
      profiles: { local },
    });
  });

  it.each([
    ["of a mgmt dev that runs", { controlUrl: "http://127.0.0.1:4300/_control", process: here.self }],
    ["of another service", {}],
  ])("does not become the active one if that is %s", async (_, fields) => {
    const config = configFolder();
    const env = { MGMT_CONFIG_DIR: config };
    const local = { baseUrl: "http://127.0.0.1:4300", token: "kept", ...fields };
    writeProfiles(config, { active: "local", profiles: { local } });
    const ready = readyOf({ baseUrl: "http://127.0.0.1:4310", authUrl: "http://127.0.0.1:4310" });
    const registration = await registerService({ ready }, true, { env, output: silent });
    expect(registration).toEqual({ name: "ephemeral-4310", isActive: false });
    expect(readJson(config)).toMatchObject({ active: "local" });
  });

  it("activates no profile of another service when it is removed", async () => {
    const config = configFolder();
    const env = { MGMT_CONFIG_DIR: config };
    const local = { baseUrl: "https://api.example.com", token: "kept" };
    writeProfiles(config, { profiles: { local } });
    const registration = await registerService({ ready: readyOf({}) }, true, { env, output: silent });
    expect(registration).toEqual({ name: "ephemeral-4300", isActive: true });
    await unregisterService({ name: "ephemeral-4300", isActive: true }, { env });
    expect(readJson(config)).toEqual({ profiles: { local } });
  });

  it("leaves no active profile behind when its process was killed", async () => {
    const config = configFolder();
    const killed = spawnSync(process.execPath, ["-e", ""]).pid;
    const profile = { ...killedProfile, process: { ...here.self, pid: killed } };
    writeProfiles(config, { active: "ephemeral-4300", profiles: { "ephemeral-4300": profile } });
    const env = { MGMT_CONFIG_DIR: config };
    const { stderr } = await inProcess({ env })`projects list`;
    expect(stderr).toMatch(/auth:no_token.*hint: Run mgmt login --base-url URL.*`mgmt dev`/s);
    await registerService({ ready: readyOf({}) }, false, { env, output: silent });
    expect(readJson(config)).toMatchObject({ active: "local" });
    expect(storedProfile(config, "ephemeral-4300")).toBeUndefined();
  });

  it("is kept while it is not known whether its process runs, in another container", async () => {
    const config = configFolder();
    const env = { MGMT_CONFIG_DIR: config };
    const profile = { ...killedProfile, process: { ...here.self, place: "elsewhere", machine: null } };
    writeProfiles(config, { active: "ephemeral-4300", profiles: { "ephemeral-4300": profile } });
    await registerService({ ready: readyOf({}) }, false, { env, output: silent });
    expect(storedProfile(config, "ephemeral-4300")).toEqual(profile);
    const listed = await inProcess({ env })`auth list -o json`;
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ profile: "ephemeral-4300", running: null }),
    );
  });

  it.each([
    ["is not an object", 7],
    ["has an id that no process has", { ...here.self, pid: 0 }],
    ["has only an id", { pid: 7 }],
  ])("is refused when its process %s", async (_, process) => {
    const config = configFolder();
    writeProfiles(config, { profiles: { "ephemeral-4300": { ...killedProfile, process } } });
    const { status, stderr } = await inProcess({ env: { MGMT_CONFIG_DIR: config } })`projects list`;
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/profiles:corrupt.*hint: /s);
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
});
