import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Keyring, probeKeyring } from "./keyring.js";
import { type KeyringStore, createKeyringStore } from "./keyring-store.js";
import { oauthClientId, createAuthenticator, type Login } from "../../sdk/oauth.js";
import { type Account, startAccount } from "../../../test/commands/auth/account.js";

let account: Account;
let entries: Map<string, string>;
beforeEach(async () => {
  account = await startAccount();
  entries = new Map();
  // Without a bus there is no Secret Service, wherever the tests run.
  vi.stubEnv("DBUS_SESSION_BUS_ADDRESS", `unix:path=${join(dirname(account.file), "no-bus")}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await account.close();
});

/** A keyring in memory. */
const memoryKeyring = (changed: Partial<Keyring> = {}): Keyring => ({
  read: async (name) => entries.get(name),
  write: async (name, secret) => void entries.set(name, secret),
  remove: async (name) => void entries.delete(name),
  ...changed,
});

const storeOn = (keyring: Keyring): KeyringStore => {
  const initial = { baseUrl: account.server.baseUrl, store: "keyring" } as const;
  return createKeyringStore(
    { file: account.file, name: "default", initialProfile: initial },
    async () => keyring,
  );
};

/** Returns how many times the server has issued tokens. */
const issued = (): number =>
  account.server.engine.requests.filter(
    ({ operationId, status }) => operationId === "oauth.token" && status === 200,
  ).length;

/** Logs in to the file, and returns the stored login. */
const loggedIn = async (): Promise<Login> => {
  await account.login();
  // A successful login stores a complete one.
  return account.stored().profiles["default"]?.login as Login;
};

describe("mgmt login --store keyring without a keyring", () => {
  it.each([["--no-browser"], ["--browser"], ["--with-token"]])(
    "fails before anything is asked, and stores nothing: %s",
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

  it("never falls back to plain text if the profile stores its credential in the keyring", async () => {
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

  it("refuses another store", async () => {
    expect((await account.mgmt`login --store cloud`).status).toBe(2);
  });
});

describe("the probe", () => {
  it("leaves no entry behind", async () => {
    await probeKeyring(memoryKeyring());
    expect(entries.size).toBe(0);
  });

  const fails = async (): Promise<never> => {
    throw new Error("locked");
  };
  it.each([
    ["writes", { write: fails }, "locked"],
    ["reads", { read: fails }, "locked"],
    ["deletes without failing", { remove: fails }, "locked"],
    ["returns what was stored", { read: async () => "another" }, "does not return what was stored"],
    ["deletes", { remove: async () => undefined }, "does not delete"],
  ])("refuses a keyring that never %s", async (_, changed, why) => {
    await expect(probeKeyring(memoryKeyring(changed))).rejects.toMatchObject({
      code: "keyring:unavailable",
      message: expect.stringContaining(why),
    });
  });
});

describe("a login in the keyring", () => {
  it("leaves no secret in the profiles file", async () => {
    const login = await loggedIn();
    const store = storeOn(memoryKeyring());
    await store.write(login);
    const text = readFileSync(account.file, "utf8");
    for (const secret of [login.accessToken, login.refreshToken]) expect(text).not.toContain(secret);
    expect(account.stored().profiles["default"]).toMatchObject({ store: "keyring", inKeyring: "login" });
    expect(await store.read()).toEqual(login);
    expect(await store.readToken()).toBeUndefined();
  });

  it("is refreshed once by stores that share it", async () => {
    const login = await loggedIn();
    const stores = [1, 2, 3].map(() => storeOn(memoryKeyring()));
    await stores[0]?.write({ ...login, expiresAt: Date.now() - 1_000 });
    const before = issued();
    const tokens = stores.map((store) =>
      createAuthenticator({ authUrl: account.server.baseUrl, clientId: oauthClientId, store }).token(),
    );
    expect(new Set(await Promise.all(tokens)).size).toBe(1);
    expect(issued() - before).toBe(1);
    expect(readFileSync(account.file, "utf8")).not.toContain(await tokens[0]);
  });

  it("is deleted with its entry, and the profile keeps using the keyring", async () => {
    const store = storeOn(memoryKeyring());
    await store.write(await loggedIn());
    await store.clear();
    expect(entries.size).toBe(0);
    expect(await store.read()).toBeUndefined();
    expect(account.stored().profiles["default"]).not.toHaveProperty("inKeyring");
    expect(account.stored().profiles["default"]).toMatchObject({ store: "keyring" });
  });

  it("is replaced by a service token", async () => {
    const store = storeOn(memoryKeyring());
    await store.write(await loggedIn());
    await store.writeToken("a-token");
    expect(await store.readToken()).toBe("a-token");
    expect(await store.read()).toBeUndefined();
    expect(entries.size).toBe(1);
  });

  it.each(["not JSON, but secret", '{"accessToken":"secret"}', "null"])(
    "reports an entry with other content, and leaves it unchanged: %s",
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
  const isAccepted = async (accessToken: string): Promise<boolean> => {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await fetch(`${account.server.baseUrl}/v1/me`, { headers })).ok;
  };

  it("revokes the previous one", async () => {
    const previous = await loggedIn();
    const next = await loggedIn();
    expect(await isAccepted(previous.accessToken)).toBe(false);
    expect(await isAccepted(next.accessToken)).toBe(true);
  });

  it("revokes the previous one when a service token replaces it", async () => {
    const { accessToken } = await loggedIn();
    const stdin = await account.server.engine.tokens.service();
    expect((await account.run(["login", "--with-token"], { stdin })).status).toBe(0);
    expect(await isAccepted(accessToken)).toBe(false);
  });

  it("succeeds when the server of the previous one cannot be reached", async () => {
    await loggedIn();
    account.store(({ profiles }) =>
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
