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

describe("resolveUserFolder", () => {
  it("is the folder that the variable names", () => {
    expect(resolveUserFolder(join(home, "state"), ".local", "state")).toBe(join(home, "state"));
  });

  it.each([undefined, "", "relative", "./here"])("is the usual one for %j", (value) => {
    expect(resolveUserFolder(value, ".local", "state")).toBe(join(home, ".local", "state"));
  });
});
