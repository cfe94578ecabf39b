import { chmodSync, statSync, writeFileSync } from "node:fs";
import { cliClient } from "@mgmt/mock/server";
import { describe, expect, it } from "vitest";
import { findNoBrowserReason } from "../../system/browser.js";
import { manualRedirectUri } from "./paste-callback.js";
import { oauthClientId } from "../../sdk/oauth.js";
import type { Result } from "../../../test/result.js";
import { pasting, useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();

/** Runs `mgmt login --no-browser`, and pastes the result of `answer` for the printed URL. */
const loginPasting = (
  answer: (url: string) => string | Promise<string>,
  env: NodeJS.ProcessEnv = {},
  flags: readonly string[] = ["--no-browser"],
): Promise<Result> =>
  account.run(["login", ...flags, "--base-url", account.server.baseUrl], { env, reply: pasting(answer) });

it("uses a client that the reference server knows", () => {
  expect({ id: oauthClientId, redirectUris: [manualRedirectUri] }).toMatchObject({
    id: cliClient.id,
    redirectUris: cliClient.redirectUris,
  });
});

describe("mgmt login --no-browser", () => {
  it("prints the address, accepts the pasted redirect, and stores a profile that only this user can read", async () => {
    const { defaults } = account.server.engine;
    const { status, stdout } = await account.login("-o", "json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      profile: "default",
      baseUrl: account.server.baseUrl,
      user: defaults.user.email,
      workspace: defaults.workspace.name,
      workspaceId: defaults.workspace.id,
    });
    expect(statSync(account.file).mode & 0o777).toBe(0o600);
    expect(account.stored()).toMatchObject({ active: "default", profiles: { default: { login: {} } } });
    const who = await account.mgmt`whoami -o json`;
    expect(who.json).toMatchObject({ user: { email: defaults.user.email }, credential: { type: "oauth" } });
  });

  it.each([
    ["nothing", () => "", 3, "login:nothing_pasted"],
    [
      "a code that was never issued",
      () => "never-given",
      4,
      "(auth:login_failed)\nhint: Log in again with mgmt login.",
    ],
  ])("stores nothing after %s", async (_, answer, code, error) => {
    const { status, stderr, stdout } = await loginPasting(answer);
    expect({ status, stdout, stderr }).toEqual({
      status: code,
      stdout: "",
      stderr: expect.stringContaining(error),
    });
    expect(account.stored()).toEqual({ profiles: {} });
  });

  it("reports that the user denied the login", async () => {
    const { status, stderr } = await loginPasting(
      (url) => account.server.engine.oauth.deny({ url }).redirect,
    );
    expect({ status, stderr }).toEqual({ status: 4, stderr: expect.stringContaining("auth:denied") });
  });

  it("never prints a token", async () => {
    const { stdout, stderr } = await account.login();
    const { login } = account.stored().profiles["default"] ?? {};
    const status = await account.mgmt`auth status -o json`;
    for (const secret of [login?.accessToken, login?.refreshToken]) {
      expect(secret).toEqual(expect.stringMatching(/.{20}/));
      expect(stdout + stderr + status.stdout + status.stderr).not.toContain(secret);
    }
  });
});

describe("mgmt login without a browser", () => {
  it.each([
    ["SSH", { SSH_CONNECTION: "a b c d", DISPLAY: ":0" }, [], "linux", "this is an SSH session"],
    ["SSH to macOS", { SSH_TTY: "/dev/ttys001" }, [], "darwin", "this is an SSH session"],
    ["Docker", { DISPLAY: ":0" }, ["/.dockerenv"], "linux", "this is a container"],
    ["Podman", { DISPLAY: ":0" }, ["/run/.containerenv"], "linux", "this is a container"],
    ["systemd-nspawn, LXC", { container: "lxc", DISPLAY: ":0" }, [], "linux", "this is a container"],
    ["Kubernetes", { KUBERNETES_SERVICE_HOST: "h", DISPLAY: ":0" }, [], "linux", "this is a container"],
    ["Linux without a display", {}, [], "linux", "there is no display"],
    ["Linux with X", { DISPLAY: ":0" }, [], "linux", undefined],
    ["Linux with Wayland", { WAYLAND_DISPLAY: "wayland-0" }, [], "linux", undefined],
    ["WSL", { WSL_DISTRO_NAME: "Debian" }, [], "linux", undefined],
    ["macOS", {}, [], "darwin", undefined],
    ["Windows", {}, [], "win32", undefined],
  ] as const)("detects %s", (_, env, files, system, reason) => {
    const exists = (path: string): boolean => files.some((file) => file === path);
    expect(findNoBrowserReason(env, system, exists)).toBe(reason);
  });

  it("prints the address over SSH", async () => {
    const { stderr, status } = await loginPasting(() => "", { SSH_CONNECTION: "a b c d" }, []);
    expect(status).toBe(3);
    expect(stderr).toContain("Not opening a browser: this is an SSH session.");
  });
});

describe("mgmt login --with-token", () => {
  it("reads a service token from standard input, and verifies it before storing it", async () => {
    const token = await account.server.engine.tokens.service();
    const line = ["login", "--with-token", "--base-url", account.server.baseUrl, "-o", "json"];
    const { status, json, stderr } = await account.run(line, { stdin: `${token}\n` });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(json).toMatchObject({ user: null, workspaceId: account.server.engine.defaults.workspace.id });
    expect(account.stored().profiles["default"]?.token).toBe(token);
    expect((await account.mgmt`projects list -o json`).json).toEqual([]);
    expect((await account.mgmt`auth token`).stdout).toBe(`${token}\n`);
  });

  it.each([
    ["an expired token", () => account.server.engine.tokens.expired(), 4],
    ["nothing", async () => "", 2],
    ["two lines", async () => "a\nb\n", 2],
  ])("stores nothing after %s", async (_, token, code) => {
    const line = ["login", "--with-token", "--base-url", account.server.baseUrl];
    const { status } = await account.run(line, { stdin: await token() });
    expect(status).toBe(code);
    expect(account.stored()).toEqual({ profiles: {} });
  });

  it.each(["--token", "--code"])(
    "refuses a secret as the value of %s, and does not repeat it",
    async (flag) => {
      const { status, stderr } = await account.run(["login", flag, "very-secret-value"]);
      expect(status).toBe(2);
      expect(stderr).toContain("usage:secret_in_arguments");
      expect(stderr).not.toContain("very-secret-value");
    },
  );
});

describe("mgmt login with bad input", () => {
  it("reports an authorization server that cannot be reached", async () => {
    const { status, stderr } = await account.mgmt`login --no-browser --base-url http://127.0.0.1:1`;
    expect({ status, stderr }).toEqual({
      status: 9,
      stderr: expect.stringContaining("auth:discovery_failed"),
    });
  });

  it("reports a profiles file that cannot be written before it asks for anything", async () => {
    await account.login();
    chmodSync(account.file, 0o400);
    const { requests } = account.server.engine;
    const before = requests.length;
    const { status, stderr } = await account.mgmt`login --no-browser`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("profiles:unwritable") });
    expect(requests.length).toBe(before);
  });

  it("refuses a store that does not exist", async () => {
    expect((await account.mgmt`login --store cloud`).status).toBe(2);
  });

  it("does not change a file with other content", async () => {
    writeFileSync(account.file, "my notes");
    const { status, stderr } = await account.login();
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("profiles:corrupt") });
    expect(stderr).not.toContain("notes");
  });
});

describe("mgmt logout", () => {
  it("revokes the login at its server, and preserves the profile", async () => {
    await account.login();
    const { accessToken = "" } = account.stored().profiles["default"]?.login ?? {};
    expect(await account.mgmt`logout`).toMatchObject({ status: 0, stdout: "" });
    expect(account.stored().profiles["default"]).toMatchObject({ baseUrl: account.server.baseUrl });
    expect(account.stored().profiles["default"]).not.toHaveProperty("login");
    const response = await fetch(`${account.server.baseUrl}/v1/me`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(response.status).toBe(401);
    expect((await account.mgmt`whoami`).status).toBe(4);
    expect(await account.mgmt`logout`).toMatchObject({
      status: 0,
      stderr: "Profile default is not logged in.\n",
    });
  });

  it("says that a restart of mgmt dev brings its token back", async () => {
    const { baseUrl } = account.server;
    account.store(({ profiles }) => {
      profiles["local"] = { baseUrl, controlUrl: `${baseUrl}/_control`, token: "token" };
      profiles["other"] = { baseUrl, token: "token" };
    });
    const hint = "Restart mgmt dev, which logs in again.";
    expect((await account.mgmt`logout --profile local`).stderr).toContain(`until it is deleted. ${hint}\n`);
    for (const line of ["projects list", "auth status", "auth token --show-secrets", "doctor"]) {
      const { stdout, stderr } = await account.run([...line.split(" "), "--profile", "local"]);
      expect(stdout + stderr).toContain(`${hint} Or run mgmt login --base-url ${baseUrl}, set MGMT_TOKEN,`);
    }
    expect((await account.mgmt`logout --profile other`).stderr).not.toContain(hint);
    expect((await account.mgmt`projects list --profile other`).stderr).not.toContain(hint);
  });

  it("removes the login even if its server cannot be reached, and warns that it may still be valid", async () => {
    await account.login();
    await account.server.close(0);
    const { status, stderr } = await account.mgmt`auth logout`;
    expect({ status, stderr }).toEqual({ status: 9, stderr: expect.stringContaining("auth:revoke_failed") });
    expect(account.stored().profiles["default"]).not.toHaveProperty("login");
  });
});
