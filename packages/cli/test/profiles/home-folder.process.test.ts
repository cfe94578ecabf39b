import { execFile } from "node:child_process";
import os from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { getHomeFolder, resolveUserFolder } from "@mgmt/internal/files/user-folders";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { getProfilesPath } from "../../src/profiles/read-profiles.js";
import { bin, ensureBuilt } from "../bin.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const variable = process.platform === "win32" ? "USERPROFILE" : "HOME";
/** Lets the account database name a home directory. */
const accountHas = (homedir: string): void => {
  vi.spyOn(os, "userInfo").mockReturnValue({ ...os.userInfo(), homedir });
};

describe("getHomeFolder", () => {
  it("is what the environment names", () => {
    accountHas("/account");
    vi.stubEnv(variable, "/named");
    expect(getHomeFolder()).toBe("/named");
  });

  it.each([undefined, "", ".", "here", "./here", "~"])("is that of the account with HOME=%j", (named) => {
    accountHas("/account");
    vi.stubEnv(variable, named);
    expect(getHomeFolder()).toBe("/account");
  });

  it.each(["", "here"])(
    "is the folder of containers for an account with the home directory %j",
    (homedir) => {
      accountHas(homedir);
      vi.stubEnv(variable, "here");
      expect(getHomeFolder()).toBe("/");
    },
  );

  it("is the folder of containers for an account that is not known", () => {
    vi.stubEnv(variable, "");
    vi.spyOn(os, "userInfo").mockImplementation(() => {
      throw new Error("uv_os_get_passwd returned ENOENT");
    });
    expect(getHomeFolder()).toBe("/");
  });
});

describe("a folder that a variable can move", () => {
  beforeEach(() => {
    vi.stubEnv(variable, "/home/me");
  });

  it.each(["", ".", "here", "../here"])("ignores a path relative to the working directory: %j", (named) => {
    expect(resolveUserFolder(named, "a", "b")).toBe(join("/home/me/a/b"));
    expect(getProfilesPath({ XDG_CONFIG_HOME: named }, "linux")).toBe(
      join("/home/me/.config/mgmt/config.json"),
    );
    expect(getProfilesPath({ APPDATA: named }, "win32")).toBe(
      join("/home/me/AppData/Roaming/mgmt/Config/config.json"),
    );
  });

  it("is where an absolute path leads", () => {
    expect(resolveUserFolder("/named", "a", "b")).toBe("/named");
  });

  it("can be relative if it was named for this command alone", () => {
    expect(getProfilesPath({ MGMT_CONFIG_DIR: "here" }, "linux")).toBe(join("here/config.json"));
  });
});

/** No account has this id. */
const unknownAccount = 54_321;

// Only root can start a program as another account.
describe.skipIf(process.platform === "win32" || process.getuid?.() !== 0)(
  "an account that is not known",
  () => {
    let server: RunningServer;
    let token: string;
    beforeAll(async () => {
      await ensureBuilt();
      server = await createServer();
      token = await server.engine.tokens.service();
    });
    afterAll(() => server.close());

    const run = (...words: string[]) => {
      const env = { PATH: process.env["PATH"], MGMT_BASE_URL: server.baseUrl, MGMT_TOKEN: token };
      const options = { uid: unknownAccount, gid: unknownAccount, cwd: "/", env, encoding: "utf8" } as const;
      return promisify(execFile)(process.execPath, [bin, ...words], options);
    };

    it.each([[["projects", "list"]], [["auth", "status"]], [["config", "list"]], [["help", "environment"]]])(
      "runs %j",
      async (words) => {
        expect((await run(...words)).stderr).not.toContain("internal:");
      },
    );
  },
);
