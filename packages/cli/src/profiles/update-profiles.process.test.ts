import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { getProfilesPath } from "./read-profiles.js";
import { updateProfile } from "./update-profiles.js";
import { bin, ensureBuilt } from "../../test/bin.js";
import { temporaryFolder } from "../../test/folders.js";
import { run } from "../../test/terminal.js";
import { useAccount } from "../../test/commands/auth/account.js";

// Without its privileges, root may not enter a folder of another account that the checkout may be in.
const build = temporaryFolder();
const copiedBin = join(build, basename(bin));

const account = useAccount();
beforeAll(async () => {
  await ensureBuilt();
  cpSync(dirname(bin), build, { recursive: true });
});

/** A prefix that makes file permissions apply to root as well. */
const withoutPrivileges =
  process.getuid?.() === 0
    ? [
        "setpriv",
        "--bounding-set=-dac_override,-dac_read_search",
        "--inh-caps=-dac_override,-dac_read_search",
      ]
    : ["env"];

/** Runs the built command as a user to whom file permissions apply. */
const runUnprivileged = async (line: string): Promise<{ status: number | null; stderr: string }> => {
  const [program = "", ...flags] = withoutPrivileges;
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...account.env };
  const words = [...flags, process.execPath, copiedBin, ...line.split(" ")];
  const child = spawn(program, words, { cwd: build, env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, stderr };
};

const rejection = (problem: string, code: string): unknown =>
  expect.stringMatching(
    new RegExp(`config\\.json ${problem} \\(permission denied\\) \\(profiles:${code}\\)`),
  );

describe("the profiles file", () => {
  it("is in the system's folder for user settings, or in MGMT_CONFIG_DIR", () => {
    expect(getProfilesPath({ MGMT_CONFIG_DIR: "/settings" }, "linux")).toBe("/settings/config.json");
    expect(getProfilesPath({ XDG_CONFIG_HOME: "/xdg" }, "linux")).toBe("/xdg/mgmt/config.json");
    expect(getProfilesPath({}, "linux")).toBe(join(homedir(), ".config/mgmt/config.json"));
    expect(getProfilesPath({}, "darwin")).toBe(join(homedir(), "Library/Preferences/mgmt/config.json"));
    expect(getProfilesPath({ APPDATA: "/roaming" }, "win32")).toBe("/roaming/mgmt/Config/config.json");
  });

  it("survives concurrent changes without losing one", async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        updateProfile(account.file, `p${index}`, () => ({ baseUrl: `http://127.0.0.1:${index + 1}` })),
      ),
    );
    const names = Object.keys(account.stored().profiles).sort();
    expect(names).toEqual(Array.from({ length: 8 }, (_, index) => `p${index}`));
    expect(statSync(account.file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(account.file))).toEqual(["config.json"]);
  });

  it("survives changes by concurrent processes without losing one", async () => {
    const stdin = await account.server.engine.tokens.service();
    const names = ["a", "b", "c", "d", "e", "f"];
    const runs = await Promise.all(
      names.map((name) =>
        run(
          ["login", "--with-token", "--base-url", account.server.baseUrl, "--profile", name, "-o", "json"],
          { env: account.env, stdin },
        ),
      ),
    );
    expect(runs.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
      names.map(() => ({ status: 0, stderr: "" })),
    );
    expect(Object.keys(account.stored().profiles).sort()).toEqual(names);
    expect(names).toContain(account.stored().active);
    expect(readdirSync(dirname(account.file))).toEqual(["config.json"]);
  });

  it("preserves fields that a later version added", async () => {
    writeFileSync(account.file, '{"later":1,"profiles":{"a":{"baseUrl":"http://127.0.0.1:1","later":2}}}');
    await updateProfile(account.file, "b", () => ({ baseUrl: "http://127.0.0.1:2" }));
    expect(account.stored()).toMatchObject({ later: 1, profiles: { a: { later: 2 }, b: {} } });
  });

  it.each([
    ["is empty", ""],
    ["is not JSON", '{"profiles":{"a":{"token":"secret-in-the-file"'],
    ["has other content", '["secret-in-the-file"]'],
    ["contains an invalid profile", '{"profiles":{"a":{"token":"secret-in-the-file"}}}'],
    ["contains an invalid profile name", '{"profiles":{"../a":{"baseUrl":"http://127.0.0.1:1"}}}'],
  ])("is reported and left unchanged if it %s", async (_, text) => {
    writeFileSync(account.file, text);
    for (const line of ["projects list", "auth status", "auth switch a", "logout"]) {
      const { status, stderr } = await account.run(line.split(" "));
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("profiles:corrupt") });
      expect(stderr).not.toContain("secret-in-the-file");
    }
    expect(readFileSync(account.file, "utf8")).toBe(text);
  });

  it("is reported if it cannot be read", async () => {
    mkdirSync(account.file);
    const { status, stderr } = await account.mgmt`projects list`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("profiles:unreadable") });
  });

  it("is reported and left unchanged if its permissions forbid access", async () => {
    await account.login();
    const before = readFileSync(account.file, "utf8");
    chmodSync(account.file, 0o000);
    expect(await runUnprivileged("whoami")).toEqual({
      status: 1,
      stderr: rejection("cannot be read", "unreadable"),
    });
    expect(await runUnprivileged("login")).toEqual({
      status: 1,
      stderr: rejection("cannot be read", "unreadable"),
    });
    chmodSync(account.file, 0o600);
    chmodSync(dirname(account.file), 0o500);
    expect(await runUnprivileged("whoami")).toEqual({ status: 0, stderr: "" });
    for (const line of ["login", "logout", "auth switch default"]) {
      expect(await runUnprivileged(line)).toEqual({
        status: 1,
        stderr: rejection("cannot be written", "unwritable"),
      });
    }
    chmodSync(dirname(account.file), 0o700);
    expect(readFileSync(account.file, "utf8")).toBe(before);
    expect((await account.mgmt`whoami`).status).toBe(0);
  });

  it("is not read if the environment has everything", async () => {
    writeFileSync(account.file, "broken");
    const env = {
      MGMT_BASE_URL: account.server.baseUrl,
      MGMT_TOKEN: await account.server.engine.tokens.user(),
    };
    expect((await account.run(["projects", "list", "-o", "json"], { env })).json).toEqual([]);
  });

  it("is reported if it contains an invalid login", async () => {
    await account.login();
    account.store(({ profiles }) => Object.assign(profiles["default"] ?? {}, { login: { accessToken: 1 } }));
    const { status, stderr } = await account.mgmt`projects list`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("profiles:corrupt") });
  });
});

it("creates its folder with access for this user only", async () => {
  const folder = join(dirname(account.file), "made/here");
  await updateProfile(join(folder, "config.json"), "a", () => ({ baseUrl: "http://127.0.0.1:1" }));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  rmSync(folder, { recursive: true });
});

/** Returns the code of the built files that a command loads. */
const loadedBy = async (line: string, environment: NodeJS.ProcessEnv = {}): Promise<string> => {
  // Node.js does not name the files whose compiled code was stored.
  const settings = { NODE_DEBUG: "module,esm", NODE_DISABLE_COMPILE_CACHE: "1" };
  const { stderr } = await run(line.split(" "), {
    env: { ...account.env, ...environment, ...settings },
  });
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
