import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();
beforeEach(() => {
  // Without a bus there is no Secret Service, wherever the tests run.
  vi.stubEnv("DBUS_SESSION_BUS_ADDRESS", `unix:path=${join(dirname(account.file), "no-bus")}`);
});
afterEach(() => void vi.unstubAllEnvs());

describe("a system without a keyring", () => {
  it.each([["--no-browser"], ["--browser"], ["--with-token"]])(
    "ends a login before anything is asked, and stores nothing: %s",
    async (flag) => {
      const line = ["login", flag, "--store", "keyring", "--base-url", account.server.baseUrl];
      const { status, stderr } = await account.run(line, { stdin: "secret-token\n" });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringContaining("keyring:unavailable"),
      });
      expect(stderr).toContain("--store file");
      expect(stderr).not.toContain("authorize");
      expect(account.server.engine.requests).toHaveLength(0);
      expect(account.stored()).toEqual({ profiles: {} });
    },
  );

  it("ends each command of a profile that stores its credential in the keyring, which never becomes plain text", async () => {
    await account.login();
    account.store(({ profiles }) => {
      profiles["default"] = { baseUrl: account.server.baseUrl, store: "keyring", inKeyring: "login" };
    });
    const before = readFileSync(account.file, "utf8");
    for (const line of ["login --no-browser", "projects list", "auth status", "auth token", "logout"]) {
      const { status, stderr } = await account.run(line.split(" "));
      expect({ status, stderr }, line).toEqual({
        status: 1,
        stderr: expect.stringContaining("keyring:unavailable"),
      });
    }
    expect(readFileSync(account.file, "utf8")).toBe(before);
    const { status, stderr } = await account.login("--store", "file");
    expect(status).toBe(0);
    expect(stderr).toContain("could not be deleted from the keyring");
    expect(account.stored().profiles["default"]).toMatchObject({ login: {} });
    expect(account.stored().profiles["default"]).not.toHaveProperty("inKeyring");
  });
});
