import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Keyring } from "../../src/credentials/keyring/keyring.js";
import { type KeyringStore, keyringStore } from "../../src/credentials/keyring/keyring-store.js";
import { probeKeyring } from "../../src/credentials/keyring/keyring.js";
import { clientId, createAuthenticator, type Login } from "../../src/credentials/oauth.js";
import { type Account, startAccount } from "./account.js";

let account: Account;
let entries: Map<string, string>;
beforeEach(async () => {
  account = await startAccount();
  entries = new Map();
  // No bus: wherever the tests run, they find no Secret Service.
  account.env["DBUS_SESSION_BUS_ADDRESS"] = `unix:path=${join(dirname(account.file), "no-bus")}`;
});
afterEach(() => account.close());

/** A keyring in this process's memory. */
const memoryKeyring = (changed: Partial<Keyring> = {}): Keyring => ({
  read: async (name) => entries.get(name),
  write: async (name, secret) => void entries.set(name, secret),
  remove: async (name) => void entries.delete(name),
  ...changed,
});

const storeOn = (keyring: Keyring): KeyringStore => {
  const initial = { baseUrl: account.server.baseUrl, store: "keyring" } as const;
  return keyringStore({ file: account.file, name: "default", initial }, async () => keyring);
};

/** How often the server has given tokens. */
const granted = (): number =>
  account.server.engine.requests.filter(
    ({ operationId, status }) => operationId === "oauth.token" && status === 200,
  ).length;

/** Logs in to the file, and gives what that kept. */
const loggedIn = async (): Promise<Login> => {
  await account.login();
  // The login has gone well: then all of a credential is in it.
  return account.kept().profiles["default"]?.login as Login;
};

describe("mgmt login --store keyring, where there is none", () => {
  it.each([["--no-browser"], ["--browser"], ["--with-token"]])(
    "fails before anything is asked, and keeps nothing: %s",
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
      expect(account.kept()).toEqual({ profiles: {} });
    },
  );

  it("never goes back to plain text where the profile keeps its credential in the keyring", async () => {
    await account.login();
    account.keep(({ profiles }) => {
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
    expect(account.kept().profiles["default"]).toMatchObject({ login: {} });
    expect(account.kept().profiles["default"]).not.toHaveProperty("inKeyring");
  });

  it("takes no other place", async () => {
    expect((await account.mgmt`login --store cloud`).status).toBe(2);
  });
});

describe("the probe", () => {
  it("leaves nothing", async () => {
    await probeKeyring(memoryKeyring());
    expect(entries.size).toBe(0);
  });

  const fails = async (): Promise<never> => {
    throw new Error("locked");
  };
  it.each([
    ["writes", { write: fails }, "locked"],
    ["reads", { read: fails }, "locked"],
    ["deletes", { remove: fails }, "locked"],
    ["gives back what it was given", { read: async () => "another" }, "does not return what was stored"],
    ["forgets", { remove: async () => undefined }, "does not delete"],
  ])("refuses a keyring that never %s", async (_, changed, why) => {
    await expect(probeKeyring(memoryKeyring(changed))).rejects.toMatchObject({
      code: "keyring:unavailable",
      message: expect.stringContaining(why),
    });
  });
});

describe("a login in the keyring", () => {
  it("leaves no secret in the file", async () => {
    const login = await loggedIn();
    const store = storeOn(memoryKeyring());
    await store.write(login);
    const text = readFileSync(account.file, "utf8");
    for (const secret of [login.accessToken, login.refreshToken]) expect(text).not.toContain(secret);
    expect(account.kept().profiles["default"]).toMatchObject({ store: "keyring", inKeyring: "login" });
    expect(await store.read()).toEqual(login);
    expect(await store.readToken()).toBeUndefined();
  });

  it("is refreshed once by those who share it", async () => {
    const login = await loggedIn();
    const stores = [1, 2, 3].map(() => storeOn(memoryKeyring()));
    await stores[0]?.write({ ...login, expiresAt: Date.now() - 1_000 });
    const before = granted();
    const tokens = stores.map((store) =>
      createAuthenticator({ authUrl: account.server.baseUrl, clientId, store }).token(),
    );
    expect(new Set(await Promise.all(tokens)).size).toBe(1);
    expect(granted() - before).toBe(1);
    expect(readFileSync(account.file, "utf8")).not.toContain(await tokens[0]);
  });

  it("is forgotten with its entry, and the profile stays in the keyring", async () => {
    const store = storeOn(memoryKeyring());
    await store.write(await loggedIn());
    await store.clear();
    expect(entries.size).toBe(0);
    expect(await store.read()).toBeUndefined();
    expect(account.kept().profiles["default"]).not.toHaveProperty("inKeyring");
    expect(account.kept().profiles["default"]).toMatchObject({ store: "keyring" });
  });

  it("gives way to a service token", async () => {
    const store = storeOn(memoryKeyring());
    await store.write(await loggedIn());
    await store.writeToken("a-token");
    expect(await store.readToken()).toBe("a-token");
    expect(await store.read()).toBeUndefined();
    expect(entries.size).toBe(1);
  });

  it.each(["not JSON, but secret", '{"accessToken":"secret"}', "null"])(
    "that holds something else is a clear error, and is left as it is: %s",
    async (text) => {
      const store = storeOn(memoryKeyring());
      await store.write(await loggedIn());
      for (const name of entries.keys()) entries.set(name, text);
      const error: unknown = await store.read().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "keyring:corrupt" });
      expect(String(error)).not.toContain("secret");
      expect([...entries.values()]).toEqual([text]);
    },
  );
});

describe("a login over another one", () => {
  const isHonoured = async (accessToken: string): Promise<boolean> => {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await fetch(`${account.server.baseUrl}/v1/me`, { headers })).ok;
  };

  it("ends the one before at its server", async () => {
    const former = await loggedIn();
    const next = await loggedIn();
    expect(await isHonoured(former.accessToken)).toBe(false);
    expect(await isHonoured(next.accessToken)).toBe(true);
  });

  it("ends it also when a service token takes its place", async () => {
    const { accessToken } = await loggedIn();
    const stdin = await account.server.engine.tokens.service();
    expect((await account.run(["login", "--with-token"], { stdin })).status).toBe(0);
    expect(await isHonoured(accessToken)).toBe(false);
  });

  it("stands when the server of the one before is gone", async () => {
    await loggedIn();
    account.keep(({ profiles }) =>
      Object.assign(profiles["default"]?.login ?? {}, { issuer: "http://127.0.0.1:1" }),
    );
    const { status, stderr } = await account.login();
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("The previous login could not be revoked"),
    });
    expect((await account.mgmt`whoami`).status).toBe(0);
  });
});
