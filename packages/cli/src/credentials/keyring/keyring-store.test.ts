import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { Keyring } from "./keyring.js";
import { type KeyringStore, createKeyringStore } from "./keyring-store.js";
import { type Login, createAuthenticator, oauthClientId } from "../../sdk/oauth.js";
import { useAccount } from "../../../test/commands/auth/account.js";
import { memoryKeyring } from "../../../test/credentials/keyring/memory-keyring.js";

const account = useAccount();
let entries: Map<string, string>;
beforeEach(() => void (entries = new Map()));

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

describe("a login in the keyring", () => {
  it("leaves no secret in the profiles file", async () => {
    const login = await loggedIn();
    const store = storeOn(memoryKeyring(entries));
    await store.write(login);
    const text = readFileSync(account.file, "utf8");
    for (const secret of [login.accessToken, login.refreshToken]) expect(text).not.toContain(secret);
    expect(account.stored().profiles["default"]).toMatchObject({ store: "keyring", inKeyring: "login" });
    expect(await store.read()).toEqual(login);
    expect(await store.readToken()).toBeUndefined();
  });

  it("is refreshed once by stores that share it", async () => {
    const login = await loggedIn();
    const stores = [1, 2, 3].map(() => storeOn(memoryKeyring(entries)));
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
    const store = storeOn(memoryKeyring(entries));
    await store.write(await loggedIn());
    await store.clear();
    expect(entries.size).toBe(0);
    expect(await store.read()).toBeUndefined();
    expect(account.stored().profiles["default"]).not.toHaveProperty("inKeyring");
    expect(account.stored().profiles["default"]).toMatchObject({ store: "keyring" });
  });

  it("is replaced by a service token", async () => {
    const store = storeOn(memoryKeyring(entries));
    await store.write(await loggedIn());
    await store.writeToken("a-token");
    expect(await store.readToken()).toBe("a-token");
    expect(await store.read()).toBeUndefined();
    expect(entries.size).toBe(1);
  });

  it.each(["not JSON, but secret", '{"accessToken":"secret"}', "null"])(
    "reports an entry with other content, and leaves it unchanged: %s",
    async (text) => {
      const store = storeOn(memoryKeyring(entries));
      await store.write(await loggedIn());
      for (const name of entries.keys()) entries.set(name, text);
      const error: unknown = await store.read().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "keyring:corrupt" });
      expect(String(error)).not.toContain("secret");
      expect([...entries.values()]).toEqual([text]);
    },
  );
});
