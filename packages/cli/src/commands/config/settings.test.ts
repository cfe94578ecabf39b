import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import type { Result } from "../../../test/result.js";
import { useAccount } from "../../../test/commands/auth/account.js";

const folder = temporaryFolder();

const account = useAccount();

const config = (line: string, env: NodeJS.ProcessEnv = {}, cwd = folder): Promise<Result> =>
  account.run(["config", ...line.split(" ")], { env, cwd });

interface Row {
  key: string;
  value: string | null;
  from: string | null;
}

/** Returns the settings that `mgmt config list` prints, by key. */
const listed = async (
  flags = "",
  env: NodeJS.ProcessEnv = {},
  cwd = folder,
): Promise<Record<string, Omit<Row, "key">>> => {
  const { json } = await config(`list -o json${flags}`, env, cwd);
  return Object.fromEntries((json as Row[]).map(({ key, ...rest }) => [key, rest]));
};

describe("mgmt config", () => {
  it("lists where each value comes from: flag, variable, link, profile or default", async () => {
    await account.login();
    const { baseUrl, engine } = account.server;
    const linked = join(folder, "linked");
    mkdirSync(join(linked, ".mgmt"), { recursive: true });
    const file = join(linked, ".mgmt/link.json");
    writeFileSync(file, '{"projectId":"proj_linked"}');
    const settings = await listed("", { MGMT_WORKSPACE_ID: "wksp_env", NO_PAGER: "1" }, linked);
    expect(settings).toEqual({
      profile: { value: "default", from: account.file },
      "base-url": { value: baseUrl, from: "profile default" },
      "auth-url": { value: baseUrl, from: "profile default" },
      "workspace-id": { value: "wksp_env", from: "MGMT_WORKSPACE_ID" },
      "project-id": { value: "proj_linked", from: file },
      output: { value: "json", from: "--output" },
      pager: { value: "off", from: "NO_PAGER" },
      protect: { value: "off", from: "default" },
      "update-notice": { value: "on", from: "default" },
    });
    const elsewhere = { MGMT_BASE_URL: "http://env.test", MGMT_AUTH_URL: "http://ada:CANARY@env.test" };
    expect(await listed("", { ...elsewhere, MGMT_TOKEN: "t" })).toMatchObject({
      "base-url": { value: "http://env.test", from: "MGMT_BASE_URL" },
      "auth-url": { value: "http://env.test/", from: "MGMT_AUTH_URL" },
    });
    const own = await listed(" --profile default", { ...elsewhere, MGMT_WORKSPACE_ID: "wksp_env" });
    expect(own).toMatchObject({
      "base-url": { value: baseUrl, from: "profile default" },
      "auth-url": { value: baseUrl, from: "profile default" },
      "workspace-id": { value: engine.defaults.workspace.id, from: "profile default" },
      "project-id": { value: null, from: null },
      pager: { value: "on", from: "default" },
    });
    expect(await listed(" --no-pager --base-url http://x.test", { MGMT_TOKEN: "t" })).toMatchObject({
      "base-url": { value: "http://x.test", from: "--base-url" },
      pager: { value: "off", from: "--no-pager" },
    });
  });

  it("keeps ids and addresses whole on a narrow terminal, below their names", async () => {
    await account.login();
    const id = account.server.engine.defaults.workspace.id;
    const narrow = { terminal: true, columns: 40, env: { NO_COLOR: "1" } };
    const { stdout, stderr } = await account.run(["config", "list"], { ...narrow, cwd: folder });
    expect(stdout).toContain(`\nworkspace-id\n  ${id}\n`);
    expect(stdout).toMatch(/\noutput +table\n/);
    expect(stderr).toBe("Not shown, because the terminal is too\nnarrow: from.\n");
    const wide = await account.run(["config", "list"], { ...narrow, columns: 200, cwd: folder });
    expect(wide.stdout).toMatch(
      new RegExp(`^KEY +VALUE +FROM\n[^]*\nworkspace-id +${id}  profile default\n`),
    );
  });

  it("stores an output format, which a flag overrides, and removes it", async () => {
    await account.login();
    await config("set output json");
    const stored = await account.mgmt`projects list`;
    expect({ status: stored.status, json: stored.json }).toEqual({ status: 0, json: [] });
    expect((await account.mgmt`projects get proj_x`).stderr).toMatch(/^\{"error"/);
    expect((await account.mgmt`projects list -o csv`).stdout).not.toContain("[");
    expect((await config("get output")).stdout).toBe("json\n");
    await config("unset output");
    expect((await account.mgmt`projects list`).stdout).not.toContain("[");
    expect((await config("get output")).stdout).toBe("table\n");
  });

  it("does not apply a stored format to mgmt auth token, which scripts read", async () => {
    await account.login();
    await config("set output yaml");
    const { login } = account.stored().profiles["default"] ?? {};
    expect((await account.mgmt`auth token`).stdout).toBe(`${login?.accessToken ?? ""}\n`);
  });

  it("stores a pager, a project and a workspace", async () => {
    await account.login();
    const { id } = await account.server.engine.seed.project({ name: "stored" });
    await config("set pager off");
    await config(`set project-id ${id}`);
    expect(account.stored().profiles["default"]).toMatchObject({ pager: false, projectId: id });
    expect((await account.mgmt`projects get -o json`).json).toMatchObject({ name: "stored" });
    expect((await config("unset project-id")).stderr).toBe("Profile default was changed.\n");
    await config("unset pager");
    expect(account.stored().profiles["default"]).not.toHaveProperty("pager");
  });

  it("creates a profile for an address if there is none", async () => {
    const { baseUrl, engine } = account.server;
    expect((await config(`set base-url ${baseUrl}`)).status).toBe(0);
    expect(account.stored()).toEqual({ active: "default", profiles: { default: { baseUrl } } });
    const env = { MGMT_TOKEN: await engine.tokens.user() };
    expect((await account.run(["me", "-o", "json"], { env })).status).toBe(0);
  });

  it("says if a variable overrides what was stored", async () => {
    await account.login();
    const { stderr, status } = await config("set project-id proj_a", { MGMT_PROJECT_ID: "proj_b" });
    expect(status).toBe(0);
    expect(stderr).toContain("Commands here still use proj_b from MGMT_PROJECT_ID");
  });

  it("does not send the credential of a profile to another address", async () => {
    await account.login();
    const { status, stderr } = await config("set base-url https://evil.example");
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("config:other_service"),
    });
    expect(account.stored().profiles["default"]).toMatchObject({ baseUrl: account.server.baseUrl });
  });

  it.each([
    ["set output jsno", 2, "Did you mean json"],
    ["set pager maybe", 2, "Allowed: on, off"],
    ["set colour red", 2, "Keys: base-url"],
    ["set outptu json", 2, "Did you mean output"],
    ["set profile other", 2, "mgmt auth switch"],
    ["set __proto__ x", 2, "There is no setting"],
    ["set output", 3, "Missing <value>"],
    ["set project-id ../x", 2, "Pass an id"],
    ["set base-url https://user:CANARY@api.test", 2, "must not contain a credential"],
    ["set base-url api.test", 2, "must be an absolute URL"],
    ["unset base-url", 2, "config:needed"],
    ["get project-id", 6, "config:not_set"],
    ["list --profile nobody", 2, "profile:not_found"],
  ])("changes nothing for an invalid command line: config %s", async (line, code, why) => {
    await account.login();
    const before = account.stored();
    const { status, stdout, stderr } = await config(line);
    expect({ status, stdout, stderr }).toEqual({
      status: code,
      stdout: "",
      stderr: expect.stringContaining(why),
    });
    expect(stderr).not.toContain("CANARY");
    expect(account.stored()).toEqual(before);
  });

  it("says that there is no profile to store a setting in", async () => {
    const { status, stderr } = await config("set output json");
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("config:no_profile") });
  });

  it.each([
    ["set protect on --profile nosuch", {}, "--profile"],
    ["set output json", { MGMT_PROFILE: "nosuch" }, "MGMT_PROFILE"],
    ["unset output --profile nosuch", {}, "--profile"],
  ])("says that a profile does not exist, and which do: %s", async (line, env, from) => {
    await account.login();
    await account.login("--profile", "second");
    const { status, stderr } = await config(line, env);
    expect(status).toBe(2);
    expect(stderr).toContain(`There is no profile nosuch (${from}) (profile:not_found)`);
    expect(stderr).toContain("default, second");
  });

  it("ignores a stored format that this version does not know", async () => {
    await account.login();
    account.store(({ profiles }) => Object.assign(profiles["default"] ?? {}, { output: "holograms" }));
    expect((await account.mgmt`projects list`).status).toBe(0);
  });
});
