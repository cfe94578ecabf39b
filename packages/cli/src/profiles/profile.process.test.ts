import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "../../test/bin.js";
import type { Result } from "../../test/result.js";
import { run } from "../../test/terminal.js";
import { type Account, startAccount } from "../../test/commands/auth/account.js";

let account: Account;
beforeAll(ensureBuilt);
beforeEach(async () => {
  account = await startAccount();
});
afterEach(() => account.close());

/** Makes the stored access token look expired. */
const expireToken = (): void =>
  account.store(({ profiles }) => {
    const login = profiles["default"]?.login;
    if (login) Object.assign(login, { expiresAt: Date.now() - 1_000 });
  });
const refreshes = (): number =>
  account.server.engine.requests.filter(({ operationId }) => operationId === "oauth.token").length;
/** Runs the built command in a separate process. */
const spawned = (line: string, env: NodeJS.ProcessEnv = {}): Promise<Result> =>
  run(line.split(" "), { env: { ...account.env, ...env } });
const loginOf = (name = "default"): { accessToken: string; refreshToken?: string } =>
  account.stored().profiles[name]?.login ?? { accessToken: "none" };

describe("precedence", () => {
  it("prefers a flag to the environment, and the environment to the profile", async () => {
    await account.login();
    const { tokens } = account.server.engine;
    const statusOf = async (line: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> => {
      const words = ["auth", "status", "-o", "json", ...line.split(" ").filter(Boolean)];
      const { json } = await account.run(words, { env });
      const { baseUrl, credential } = json as Record<string, { from: string }>;
      return { baseUrl: baseUrl?.from, credential: credential?.from };
    };
    const env = { MGMT_TOKEN: await tokens.service(), MGMT_BASE_URL: account.server.baseUrl };
    expect(await statusOf("")).toEqual({ baseUrl: "profile default", credential: "profile default" });
    expect(await statusOf("", env)).toEqual({ baseUrl: "MGMT_BASE_URL", credential: "MGMT_TOKEN" });
    expect(await statusOf("", { MGMT_TOKEN: env.MGMT_TOKEN })).toEqual({
      baseUrl: "profile default",
      credential: "MGMT_TOKEN",
    });
    const file = join(dirname(account.file), "token");
    writeFileSync(file, env.MGMT_TOKEN);
    expect(await statusOf(`--token-file ${file} --base-url ${account.server.baseUrl}`, env)).toEqual({
      baseUrl: "--base-url",
      credential: "--token-file",
    });
    expect(await statusOf("--profile default", env)).toEqual({
      baseUrl: "profile default",
      credential: "profile default",
    });
  });

  it.each([
    ["MGMT_TOKEN", 4, "auth:empty_token"],
    ["MGMT_BASE_URL", 2, "usage:empty_base_url"],
  ])("uses no profile in place of an empty %s", async (name, code, error) => {
    await account.login();
    const sent = account.server.engine.requests.length;
    for (const value of ["", " \n"]) {
      const { status, stdout, stderr } = await account.run(["projects", "list"], { env: { [name]: value } });
      expect({ status, stdout }).toEqual({ status: code, stdout: "" });
      expect(stderr).toContain(`error: ${name} is set, but empty (${error})`);
      expect(stderr).toMatch(/hint: Set it to .* remove the variable\./);
    }
    expect(account.server.engine.requests).toHaveLength(sent);
    const named = ["projects", "list", "--profile", "default"];
    expect((await account.run(named, { env: { [name]: "" } })).status).toBe(0);
  });

  it("does not log in to a profile in place of an empty MGMT_BASE_URL", async () => {
    await account.login();
    const env = { MGMT_BASE_URL: "" };
    const { status, stderr } = await account.run(["login", "--with-token"], { env, stdin: "a-token" });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("usage:empty_base_url"),
    });
    expect((await account.run(["config", "get", "base-url"], { env })).stderr).toContain(
      "usage:empty_base_url",
    );
  });

  it("does not send the credential of a profile to another service", async () => {
    await account.login();
    const { status, stderr } = await account.mgmt`projects list --base-url http://127.0.0.1:1`;
    expect({ status, stderr }).toEqual({ status: 4, stderr: expect.stringContaining("auth:other_service") });
    const same = account.server.baseUrl.replace("http:", "HTTP:");
    expect((await account.mgmt`projects list --base-url ${same}/`).status).toBe(0);
  });

  it.each([
    ["--profile nobody", {}, "profile:not_found"],
    ["", { MGMT_PROFILE: "nobody" }, "profile:not_found"],
    ["--profile ../x", {}, "usage:invalid_value"],
    ["--profile __proto__", {}, "usage:invalid_value"],
    ["--profile constructor", {}, "profile:not_found"],
  ])("reports a profile that does not exist: %s %o", async (flags, env, code) => {
    const line = ["projects", "list", ...flags.split(" ").filter(Boolean)];
    const { status, stderr } = await account.run(line, { env });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(code) });
  });
});

describe("mgmt auth status", () => {
  it("shows where each value came from and when the token expires", async () => {
    await account.login();
    const { json, status } = await account.mgmt`auth status -o json`;
    expect(status).toBe(0);
    const { baseUrl, engine } = account.server;
    expect(json).toEqual({
      profile: { value: "default", from: account.file },
      baseUrl: { value: baseUrl, from: "profile default" },
      authUrl: { value: baseUrl, from: "profile default" },
      credential: {
        kind: "login",
        from: "profile default",
        store: "file",
        endsAt: expect.stringMatching(/^\d{4}-.*Z$/),
        renewed: true,
        scopes: expect.arrayContaining(["workspace:admin"]),
      },
      workspace: { value: engine.defaults.workspace.id, from: "profile default" },
      project: { value: null, from: null },
      file: account.file,
      link: null,
    });
    expect((await account.mgmt`auth status`).stdout).toMatch(/^credential ends at +\d{4}-/m);
  });

  it("exits with 4 when nobody is logged in", async () => {
    const { status, stdout, stderr } = await account.mgmt`auth status -o json`;
    expect(status).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ profile: { value: null }, credential: { kind: null } });
    expect(stderr).toContain("mgmt login");
  });
});

describe("mgmt auth switch", () => {
  it("makes another profile the active one", async () => {
    await account.login();
    await account.login("--profile", "second");
    expect(account.stored().active).toBe("default");
    expect((await account.mgmt`auth switch second`).stderr).toBe("The active profile is now second.\n");
    expect((await account.mgmt`auth status -o json`).json).toMatchObject({ profile: { value: "second" } });
  });

  it("needs the name of an existing profile", async () => {
    await account.login();
    for (const [name, stderr] of [
      [
        "nobody",
        "error: There is no profile nobody (profile:not_found)\n" +
          "hint: The only profile is default. mgmt login --profile nobody creates this one.\n",
      ],
      ["defualt", expect.stringContaining("hint: Did you mean default? The only profile is default.")],
      ["a b", expect.stringContaining('<profile> cannot be "a b"')],
    ] as const)
      expect(await account.mgmt`auth switch ${name}`).toMatchObject({ status: 2, stderr });
    expect((await account.mgmt`whoami --profile nobody`).stderr).toContain(
      "hint: Pass --profile default, or create",
    );
    expect((await account.mgmt`auth switch`).status).toBe(3);
    expect(account.stored().active).toBe("default");
  });
});

describe("the default project", () => {
  it("is used by a command that needs a project, unless a flag or variable overrides it", async () => {
    await account.login();
    const { seed } = account.server.engine;
    const [first, second] = [(await seed.project()).id, (await seed.project()).id];
    expect((await account.mgmt`databases create one`).status).toBe(3);
    expect((await account.mgmt`auth switch --project-id ${first}`).status).toBe(0);
    const projectOf = async (line: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> =>
      (await account.run([...line.split(" "), "-o", "json"], { env })).json;
    expect(await projectOf("databases create two")).toMatchObject({ project: { id: first } });
    const env = { MGMT_PROJECT_ID: second };
    expect(await projectOf("databases create three", env)).toMatchObject({ project: { id: second } });
    expect(await projectOf(`databases create four --project-id ${first}`, env)).toMatchObject({
      project: { id: first },
    });
    expect((await account.mgmt`auth status -o json`).json).toMatchObject({
      project: { value: first, from: "profile default" },
    });
  });
});

/** Returns the code of the built files that a command loads. */
const loadedBy = async (line: string, environment: NodeJS.ProcessEnv = {}): Promise<string> => {
  // Node.js does not name the files whose compiled code was stored.
  const settings = { NODE_DEBUG: "module,esm", NODE_DISABLE_COMPILE_CACHE: "1" };
  const { stderr } = await spawned(line, { ...environment, ...settings });
  const files = new Set([...stderr.matchAll(/dist\/([\w-]+\.js)/g)].map(([, file = ""]) => file));
  expect(files).toContain("mgmt.js");
  return [...files].map((file) => readFileSync(join(dirname(bin), file), "utf8")).join("\n");
};

it("loads no login code when the token is in the environment", async () => {
  const env = {
    MGMT_BASE_URL: account.server.baseUrl,
    MGMT_TOKEN: await account.server.engine.tokens.user(),
  };
  // The last two are words of the packages `conf` and `open`.
  const marks = /invalid_grant|code_challenge|projectSuffix|xdg-open/;
  expect(await loadedBy("auth login --with-token", env)).toMatch(marks);
  expect(await loadedBy("projects list", env)).not.toMatch(marks);
  expect(await loadedBy("--version", env)).not.toMatch(/config\.json/);
});

it("loads no code that writes profiles when a profile is only read", async () => {
  await account.login();
  // A word of the package `conf`.
  const conf = /projectSuffix/;
  expect(await loadedBy("auth switch default")).toMatch(conf);
  expect(await loadedBy("projects list")).not.toMatch(conf);
  expect(await loadedBy("auth status")).not.toMatch(conf);
});

describe("a login with an expired access token", () => {
  it("is refreshed by the command and stored", async () => {
    await account.login();
    const before = loginOf();
    expireToken();
    const { status, stderr } = await account.mgmt`projects list -o json`;
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(loginOf().accessToken).not.toBe(before.accessToken);
    expect(loginOf().refreshToken).not.toBe(before.refreshToken);
    expect(statSync(account.file).mode & 0o777).toBe(0o600);
    expect((await account.mgmt`auth token`).stdout).toBe(`${loginOf().accessToken}\n`);
  });

  it("is refreshed once by concurrent processes", async () => {
    await account.login();
    expireToken();
    const before = refreshes();
    const runs = await Promise.all(Array.from({ length: 4 }, () => spawned("projects list -o json")));
    expect(runs.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    expect(refreshes() - before).toBe(1);
  });

  it("asks for a new login when the server rejects the refresh token", async () => {
    await account.login();
    expireToken();
    account.store(({ profiles }) =>
      Object.assign(profiles["default"]?.login ?? {}, { refreshToken: "no-more" }),
    );
    const { status, stderr } = await account.mgmt`projects list`;
    expect({ status, stderr }).toEqual({ status: 4, stderr: expect.stringContaining("mgmt login") });
    expect(stderr).not.toContain("no-more");
    expect(account.stored().profiles["default"]).toMatchObject({ baseUrl: account.server.baseUrl });
  });

  it("is not changed when the file is read-only, and its refresh token is not used", async () => {
    await account.login();
    expireToken();
    chmodSync(account.file, 0o400);
    const before = readFileSync(account.file, "utf8");
    const { status, stderr } = await account.mgmt`projects list`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("profiles:unwritable") });
    expect(readFileSync(account.file, "utf8")).toBe(before);
    chmodSync(account.file, 0o600);
    expect((await account.mgmt`projects list`).status).toBe(0);
  });

  it("is not changed when the authorization server cannot be reached", async () => {
    await account.login();
    expireToken();
    await account.server.close(0);
    const before = readFileSync(account.file, "utf8");
    const { status, stderr } = await account.mgmt`projects list`;
    expect(stderr).toMatch(/auth:(refresh|discovery)_failed/);
    expect(status).toBe(9);
    expect(readFileSync(account.file, "utf8")).toBe(before);
  });
});
