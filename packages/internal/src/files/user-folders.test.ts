import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { getHomeFolder, resolveUserFolder } from "./user-folders.js";

const variable = process.platform === "win32" ? "USERPROFILE" : "HOME";
const home = process.platform === "win32" ? "C:\\home" : "/home/ada";
beforeEach(() => void vi.stubEnv(variable, home));
afterEach(() => void vi.unstubAllEnvs());

describe("getHomeFolder", () => {
  it("is the folder in the environment", () => {
    expect(getHomeFolder()).toBe(home);
  });

  it.each([undefined, "", "relative/folder"])("is that of the account for %j in the environment", (value) => {
    vi.stubEnv(variable, value);
    const { userInfo } = process.getBuiltinModule("node:os");
    expect(getHomeFolder()).toBe(userInfo().homedir);
  });
});

describe("getHomeFolder of an account without one in the environment", () => {
  const os = process.getBuiltinModule("node:os");
  const account = os.userInfo();

  it.each([
    ["a relative one", () => ({ ...account, homedir: "home" }), "/"],
    ["an empty one", () => ({ ...account, homedir: "" }), "/"],
    [
      "none, because it is not in the database of accounts",
      () => {
        throw new Error("ENOENT");
      },
      "/",
    ],
  ])("is / for %s", (_, userInfo, folder) => {
    vi.stubEnv(variable, undefined);
    vi.spyOn(os, "userInfo").mockImplementation(userInfo);
    expect(getHomeFolder()).toBe(folder);
  });
});

describe("resolveUserFolder", () => {
  it("is the folder that the variable names", () => {
    expect(resolveUserFolder(join(home, "state"), ".local", "state")).toBe(join(home, "state"));
  });

  it.each([undefined, "", "relative", "./here"])("is the usual one for %j", (value) => {
    expect(resolveUserFolder(value, ".local", "state")).toBe(join(home, ".local", "state"));
  });
});
