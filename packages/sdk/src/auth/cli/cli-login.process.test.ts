import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { createClient } from "@mgmt/sdk";
import { AuthError, LoginRequiredError } from "@mgmt/sdk/auth";
import { cliLogin } from "@mgmt/sdk/auth/node";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Account, startAccount } from "../../../../cli/test/commands/auth/account.js";
import { ensureBuilt } from "../../../../cli/test/bin.js";
import { setupBuilds } from "../../../test/build.js";
import { thrown } from "../../../test/server.js";

const { bundle } = setupBuilds();
let account: Account;
let program: string;
/** A program that contains the SDK and all that it needs. */
let standalone: string;
beforeAll(async () => {
  await ensureBuilt();
  program = await bundle(`
    import { createClient } from "@mgmt/sdk";
    import { cliLogin } from "@mgmt/sdk/auth/node";
    const client = createClient(await cliLogin());
    console.log((await client.me.get()).user.id);
  `);
  standalone = await bundle(
    `
    import { cliLogin } from "@mgmt/sdk/auth/node";
    console.log(await cliLogin().then(({ token }) => token(), ({ message, hint }) => message + ". " + hint));
  `,
    { external: [] },
  );
});
beforeEach(async () => {
  account = await startAccount();
  setEnvironment({ MGMT_CONFIG_DIR: account.env["MGMT_CONFIG_DIR"] });
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await account.close();
});

/** Sets the variables that the SDK and the CLI read, and no others of them. */
const setEnvironment = (variables: NodeJS.ProcessEnv): void => {
  for (const name of ["MGMT_CONFIG_DIR", "MGMT_BASE_URL", "MGMT_TOKEN", "MGMT_PROFILE"]) {
    vi.stubEnv(name, variables[name]);
  }
};

const expireToken = (): void =>
  account.store(({ profiles }) => {
    Object.assign(profiles["default"]?.login ?? {}, { expiresAt: Date.now() - 1_000 });
  });
const tokenRequests = (): number =>
  account.server.engine.requests.filter(({ operationId }) => operationId === "oauth.token").length;
const runProgram = async (): Promise<string> =>
  (await promisify(execFile)(process.execPath, [program])).stdout.trim();

describe("a program that uses the login of the CLI", () => {
  it("calls the service of the profile as its user, from a process of its own", async () => {
    await account.login();
    expect(await runProgram()).toBe(account.server.engine.defaults.user.id);
  });

  it("refreshes an expired login once, together with three other programs", async () => {
    await account.login();
    expireToken();
    const before = tokenRequests();
    const { id } = account.server.engine.defaults.user;
    expect(await Promise.all(Array.from({ length: 4 }, runProgram))).toEqual([id, id, id, id]);
    expect(tokenRequests() - before).toBe(1);
  });

  it("uses the profile that it names, and a service token too", async () => {
    await account.login();
    const token = await account.server.engine.tokens.service();
    const { baseUrl } = account.server;
    account.store(({ profiles }) => Object.assign(profiles, { ci: { baseUrl, token } }));
    const login = await cliLogin({ profile: "ci" });
    expect(login.baseUrl).toBe(baseUrl);
    expect(await login.token()).toBe(token);
    expect(await (await cliLogin()).token()).toBe(account.stored().profiles["default"]?.login?.accessToken);
  });

  it("works in CI, where the command protects the log", async () => {
    await account.login();
    vi.stubEnv("CI", "true");
    vi.stubEnv("GITHUB_ACTIONS", "true");
    expect(await (await cliLogin()).token()).toBe(account.stored().profiles["default"]?.login?.accessToken);
  });

  it("asks the CLI once for concurrent calls, and only when the token was rejected", async () => {
    await account.login();
    const login = await cliLogin();
    const rejected = await login.token();
    expireToken();
    const before = tokenRequests();
    expect(await login.token({ rejected: "another" })).toBe(rejected);
    const renewed = await Promise.all([login.token({ rejected }), login.token({ rejected })]);
    expect(renewed[0]).not.toBe(rejected);
    expect(renewed[1]).toBe(renewed[0]);
    expect(tokenRequests() - before).toBe(1);
    expect((await createClient(login).me.get()).user?.id).toBe(account.server.engine.defaults.user.id);
  });

  it("asks the CLI again after it has failed", async () => {
    await account.login();
    const login = await cliLogin();
    const rejected = await login.token();
    const { profiles } = account.stored();
    account.store((stored) => void (stored.profiles = {}));
    await expect(login.token({ rejected })).rejects.toThrow(AuthError);
    account.store((stored) => void (stored.profiles = profiles));
    expect(await login.token({ rejected })).toBe(rejected);
  });
});

describe("the environment", () => {
  it("is used instead of the CLI when it has both variables", async () => {
    // Not even looked for.
    vi.stubEnv("PATH", "");
    const { baseUrl } = account.server;
    setEnvironment({ MGMT_BASE_URL: baseUrl, MGMT_TOKEN: "of-ci" });
    const login = await cliLogin();
    expect([login.baseUrl, await login.token()]).toEqual([baseUrl, "of-ci"]);
  });

  it("does not replace a profile that the program names", async () => {
    await account.login();
    vi.stubEnv("MGMT_BASE_URL", "https://other.example.com");
    vi.stubEnv("MGMT_TOKEN", "of-ci");
    expect((await cliLogin({ profile: "default" })).baseUrl).toBe(account.server.baseUrl);
  });
});

describe.each(["MGMT_BASE_URL", "MGMT_TOKEN"])("an empty %s", (name) => {
  it("is reported instead of using the login of the CLI, which may be missing", async () => {
    await account.login();
    vi.stubEnv(name, " ");
    const error = await thrown(cliLogin());
    expect(error).toBeInstanceOf(LoginRequiredError);
    expect(error).toMatchObject({
      message: `${name} is set, but empty`,
      hint: expect.stringContaining("check that the secret exists"),
    });
    expect((await cliLogin({ profile: "default" })).baseUrl).toBe(account.server.baseUrl);
  });
});

describe("a login that cannot be used", () => {
  it("is reported with the words of the CLI when nobody is logged in", async () => {
    const error = await thrown(cliLogin());
    expect(error).toBeInstanceOf(LoginRequiredError);
    expect(error).toMatchObject({
      code: "auth:login_required",
      advice: "log_in",
      hint: expect.stringMatching(/^Run mgmt login --base-url URL, or set MGMT_BASE_URL and MGMT_TOKEN\./),
    });
  });

  it("is reported with the cause when it has ended", async () => {
    await account.login();
    account.store(({ profiles }) => {
      const login = profiles["default"]?.login;
      Object.assign(login ?? {}, { expiresAt: 1, refreshToken: "revoked-canary" });
    });
    const error = await thrown(cliLogin());
    expect(error).toBeInstanceOf(LoginRequiredError);
    expect(JSON.stringify(error)).not.toContain("revoked-canary");
  });

  it("is reported when the keyring that has it cannot be opened", async () => {
    const { baseUrl } = account.server;
    // Without a bus there is no Secret Service, wherever the tests run.
    vi.stubEnv("DBUS_SESSION_BUS_ADDRESS", `unix:path=${account.file}.no-bus`);
    writeFileSync(
      account.file,
      JSON.stringify({
        active: "default",
        profiles: { default: { baseUrl, store: "keyring", inKeyring: "login" } },
      }),
    );
    const error = await thrown(cliLogin());
    expect(error).toMatchObject({ code: "auth:cli_failed", message: expect.stringContaining("keyring:") });
    expect(error).toMatchObject({ hint: expect.any(String) });
  });

  it("is reported when the profiles file is not one, or the profile does not exist", async () => {
    await account.login();
    expect(await thrown(cliLogin({ profile: "nobody" }))).toMatchObject({
      code: "auth:cli_failed",
      message: expect.stringContaining("profile:not_found"),
    });
    writeFileSync(account.file, "{");
    expect(await thrown(cliLogin())).toMatchObject({ message: expect.stringContaining("profiles:corrupt") });
  });

  it.each(["", "--help", "a b", "x;y"])("refuses the profile name %j", async (profile) => {
    expect(await thrown(cliLogin({ profile }))).toMatchObject({
      code: "auth:cli_failed",
      message: "profile is not a valid profile name",
    });
  });
});

describe("the CLI that is run", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mgmt-cli-login-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, source: string): string => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, source, { mode: 0o755 });
    return file;
  };
  /** Writes a CLI that prints its name as the token. */
  const writeCli = (name: string): string =>
    write(
      name,
      `console.log(JSON.stringify({ token: ${JSON.stringify(name)}, baseUrl: "https://a.test" }));`,
    );
  const installed = "node_modules/@mgmt/cli/dist/mgmt.js";

  /** Runs a program with its own copy of the SDK, which prints the token or the error. */
  const runIn = async (cwd: string, file = join(folder, "tool/program.mjs")): Promise<string> => {
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(standalone, file);
    mkdirSync(cwd, { recursive: true });
    const env = { PATH: relative(cwd, folder) };
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd, env });
    return stdout.trim();
  };

  it("is the one that is installed beside the SDK, not one of the working directory", async () => {
    const planted = `repository/${installed}`;
    writeCli(planted);
    expect(await runIn(join(folder, "repository/work"))).toBe(
      "The command mgmt was not found. Install it beside @mgmt/sdk with npm install --save-dev @mgmt/cli, then run npx @mgmt/cli login. " +
        "Or pass its path as program, or set MGMT_BASE_URL and MGMT_TOKEN.",
    );
    writeCli(`tool/${installed}`);
    expect(await runIn(join(folder, "repository/work"))).toBe(`tool/${installed}`);
  });

  it("is the package in a folder above, if only this user can write to it", async () => {
    writeCli(`shared/${installed}`);
    const file = join(folder, "shared/tool/program.mjs");
    expect(await runIn(folder, file)).toBe(`shared/${installed}`);
    for (const path of ["shared", "shared/node_modules", `shared/${installed}`]) {
      chmodSync(join(folder, path), 0o777);
      const output = await runIn(folder, file);
      expect(output).toContain(`except for ${join(folder, "shared", installed)}, which other accounts could`);
      chmodSync(join(folder, path), 0o755);
    }
    expect(await runIn(folder, file)).toBe(`shared/${installed}`);
  });

  it("is not looked for through a relative folder of PATH", async () => {
    write("mgmt", "#!/bin/sh\necho canary\n");
    expect(await runIn(join(folder, "work"))).toContain("The command mgmt was not found");
  });

  it("is the program that is passed", async () => {
    expect(await (await cliLogin({ program: writeCli("own/mgmt.js") })).token()).toBe("own/mgmt.js");
    for (const program of ["own/mgmt.js", join(folder, "missing")]) {
      expect(await thrown(cliLogin({ program }))).toMatchObject({
        code: "auth:cli_failed",
        message: "program is not the absolute path of a file",
      });
    }
  });

  it.each([
    ["prints something else", "echo canary", "did not print a token and a base URL"],
    ["fails without a report", "echo canary >&2; exit 7", "it ended with status 7"],
  ])("is reported when it %s, without its output", async (_, source, message) => {
    const error = await thrown(cliLogin({ program: write("mgmt", `#!/bin/sh\n${source}\n`) }));
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ code: "auth:cli_failed", message: expect.stringContaining(message) });
    expect(JSON.stringify(error)).not.toContain("canary");
  });
});
