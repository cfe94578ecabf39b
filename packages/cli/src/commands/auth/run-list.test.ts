import { writeFileSync } from "node:fs";
import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import { describe, expect, it } from "vitest";
import { useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();

describe("mgmt auth list", () => {
  it("lists each profile with its service, account, workspace, store and expiry, and no secret", async () => {
    await account.login();
    await account.login("--profile", "second");
    await account.run(["auth", "switch", "second"]);
    const { stdout, json } = await account.mgmt`auth list -o json`;
    const row = {
      service: account.server.baseUrl,
      account: "ada@example.com",
      workspaceId: account.server.engine.defaults.workspace.id,
      projectId: null,
      credential: "login",
      store: "file",
      endsAt: expect.stringMatching(/^\d{4}-/),
      renews: true,
      running: null,
    };
    expect(json).toEqual([
      { profile: "default", active: false, ...row },
      { profile: "second", active: true, ...row },
    ]);
    for (const { login } of Object.values(account.stored().profiles)) {
      expect(stdout).not.toContain(login?.accessToken);
      expect(stdout).not.toContain(login?.refreshToken);
    }
  });

  it("marks the profile that a flag or variable selects", async () => {
    await account.login();
    await account.login("--profile", "second");
    const { stdout } = await account.run(["auth", "ls", "-o", "csv", "--fields", "profile,active"], {
      env: { MGMT_PROFILE: "second" },
    });
    expect(stdout).toBe("profile,active\ndefault,false\nsecond,true\n");
  });

  it("lists profiles without a credential, and those whose credential is in the keyring without opening it", async () => {
    account.store((all) => {
      all.profiles["bare"] = { baseUrl: "https://user:CANARY@api.test" };
      all.profiles["hidden"] = { baseUrl: "https://api.test", store: "keyring", inKeyring: "token" };
      all.profiles["renewed"] = { baseUrl: "https://api.test", store: "keyring", inKeyring: "login" };
    });
    const { stdout, json } = await account.mgmt`auth list -o json`;
    expect(json).toMatchObject([
      { profile: "bare", credential: null, store: null },
      { profile: "hidden", credential: "token", store: "keyring", endsAt: null, renews: false },
      { profile: "renewed", credential: "login", store: "keyring", endsAt: null, renews: true },
    ]);
    expect(stdout).not.toContain("CANARY");
  });

  it.skipIf(process.platform !== "linux")(
    "says whether mgmt dev runs, unless it is in another container",
    async () => {
      const { self } = createProcessView();
      const processes = {
        alive: self,
        dead: { ...self, started: "1" },
        elsewhere: { ...self, place: "other" },
      };
      account.store(({ profiles }) => {
        for (const [name, dev] of Object.entries(processes))
          profiles[name] = { baseUrl: "http://127.0.0.1:1", process: { ...dev, machine: null } };
      });
      const { json } = await account.mgmt`auth list -o json --fields profile,running`;
      expect(json).toEqual([
        { profile: "alive", running: true },
        { profile: "dead", running: false },
        { profile: "elsewhere", running: null },
      ]);
    },
  );

  it("prints an empty list without profiles, and fails for a corrupt file", async () => {
    expect((await account.mgmt`auth list -o json`).stdout).toBe("[]\n");
    writeFileSync(account.file, "{");
    const { status, stderr } = await account.mgmt`auth list -o json`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("profiles:corrupt") });
  });
});
