import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type BrowserStorage, browserStore, createAuthenticator } from "@mgmt/sdk/auth";
import { thrown } from "../../test/server.js";
import { credentialFor } from "../../test/auth/fault-server.js";

/** A storage with room for a number of characters. */
class SmallStorage implements BrowserStorage {
  readonly items = new Map<string, string>();
  constructor(readonly room = Infinity) {}
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    const others = [...this.items].filter(([name]) => name !== key);
    const used = others.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (used + key.length + value.length > this.room) throw new DOMException("SECRET", "QuotaExceededError");
    this.items.set(key, value);
  }
  removeItem(key: string): void {
    this.items.delete(key);
  }
}

const credential = credentialFor({ baseUrl: "https://auth.example.com" }, 3_600);

describe("a store in a browser's storage", () => {
  it("keeps one credential under its key, and removes it", async () => {
    const storage = new SmallStorage();
    const store = browserStore({ key: "app", storage });
    expect(await store.read()).toBeUndefined();
    await store.write(credential);
    expect([...storage.items.keys()]).toEqual(["app"]);
    expect(await browserStore({ key: "app", storage }).read()).toEqual(credential);
    expect(await browserStore({ storage }).read()).toBeUndefined();
    await store.clear();
    expect(storage.items.size).toBe(0);
  });

  it("leaves nothing of a reservation behind, whether or not it was used", async () => {
    const storage = new SmallStorage();
    const store = browserStore({ storage });
    await store.probe?.();
    expect(storage.items.size).toBe(0);
    const reservation = await store.reserve?.();
    expect(storage.items.size).toBe(1);
    await reservation?.write(credential);
    await reservation?.release();
    expect([...storage.items.keys()]).toEqual(["mgmt.login"]);
  });

  it.each([
    ["no JSON", "{SECRET", "is not JSON"],
    ["an empty text", " ", "is empty"],
    ["half a credential", '{"accessToken":"SECRET"}', "lacks required fields"],
    ["null", "null", "lacks required fields"],
  ])("reports an item with %s, and does not change it", async (_, text, problem) => {
    const storage = new SmallStorage();
    storage.setItem("mgmt.login", text);
    const error = await thrown(browserStore({ storage }).read());
    expect(error).toMatchObject({ code: "auth:store_corrupt" });
    expect(String(error)).toContain(
      `The item mgmt.login of the storage does not contain a credential: it ${problem}`,
    );
    expect(String(error)).not.toContain("SECRET");
    expect(storage.getItem("mgmt.login")).toBe(text);
  });

  it("reports a full storage, and keeps the stored login", async () => {
    const storage = new SmallStorage(2_000);
    const store = browserStore({ storage });
    await store.write(credential);
    for (const work of [
      store.probe?.(),
      store.reserve?.(),
      store.write({ ...credential, scopes: ["x".repeat(3_000)] }),
    ]) {
      const error = await thrown(Promise.resolve(work));
      expect(error).toMatchObject({ code: "auth:store_failed" });
      expect(String(error)).toContain("The browser's storage could not be written (QuotaExceededError)");
      expect(String(error)).not.toContain("SECRET");
    }
    expect(await store.read()).toEqual(credential);
    expect([...storage.items.keys()]).toEqual(["mgmt.login"]);
  });

  // Newer versions of Node.js have one.
  it.skipIf("sessionStorage" in globalThis)("reports a program without a session storage", async () => {
    const store = browserStore();
    expect(await thrown(store.read())).toMatchObject({ code: "auth:store_failed" });
    expect(await thrown(store.write(credential))).toMatchObject({
      code: "auth:store_failed",
      hint: expect.stringContaining("fileStore"),
    });
  });
});

describe("a runtime that is no page", () => {
  afterEach(() => void vi.unstubAllGlobals());

  it("does not use its session storage, which all visitors of a server would share (Node.js 25, nodejs/node#60303)", async () => {
    const storage = new SmallStorage();
    vi.stubGlobal("sessionStorage", storage);
    expect(await thrown(browserStore().read())).toMatchObject({ code: "auth:store_failed" });
    expect(await thrown(browserStore().write(credential))).toMatchObject({ code: "auth:store_failed" });
    expect(storage.items.size).toBe(0);
    // The control: a page.
    vi.stubGlobal("document", {});
    await browserStore().write(credential);
    expect(storage.items.size).toBe(1);
  });

  it("is not asked for its local storage, which prints a warning in Node.js", async () => {
    const read = vi.fn();
    const { localStorage } = Object.getOwnPropertyDescriptors(globalThis);
    Object.defineProperty(globalThis, "localStorage", { get: read, configurable: true });
    onTestFinished(
      () =>
        void (localStorage
          ? Object.defineProperty(globalThis, "localStorage", localStorage)
          : Reflect.deleteProperty(globalThis, "localStorage")),
    );
    const store = browserStore({ storage: new SmallStorage() });
    await store.lock?.(() => store.write(credential), { signal: new AbortController().signal });
    expect(read).not.toHaveBeenCalled();
  });
});

describe("a tab that shares its storage with another one", () => {
  const settings = { authUrl: "https://auth.example.com", clientId: credential.clientId };

  it("uses the login of another user from its next call on, and notices a logout", async () => {
    const storage = new SmallStorage();
    const [here, there] = [browserStore({ storage }), browserStore({ storage })];
    await here.write(credential);
    const { token } = createAuthenticator({ ...settings, store: here });
    expect(await token()).toBe(credential.accessToken);
    await there.write({ ...credential, accessToken: "of another user" });
    expect(await token()).toBe("of another user");
    await there.clear();
    expect(await thrown(token())).toMatchObject({ code: "auth:login_required" });
    await there.write(credential);
    expect(await token()).toBe(credential.accessToken);
  });
});
