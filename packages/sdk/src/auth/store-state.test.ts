import { describe, expect, it } from "vitest";
import { type Credential, memoryStore } from "@mgmt/sdk/auth";
import { readOAuthSettings } from "./oauth-settings.js";
import { StoreState, getStoreState } from "./store-state.js";

const settings = readOAuthSettings({ authUrl: "https://auth.test", clientId: "client" });
const credentialOf = (accessToken: string): Credential => ({
  accessToken,
  scopes: [],
  issuer: settings.issuer,
  clientId: settings.clientId,
});
const [first, second, third, foreign] = ["first", "second", "third", "foreign"].map(credentialOf) as [
  Credential,
  Credential,
  Credential,
  Credential,
];

/** A state that could not store the second credential, which replaces the first. */
const unsavedState = (): StoreState => {
  const storeState = new StoreState();
  storeState.setUnsaved(second, first);
  return storeState;
};

describe("the state of a store", () => {
  it("is the same for all that use the store", () => {
    const store = memoryStore();
    expect(getStoreState(store)).toBe(getStoreState(store));
    expect(getStoreState(memoryStore())).not.toBe(getStoreState(store));
  });

  it("reads the stored credential", async () => {
    const storeState = new StoreState();
    expect(await storeState.read(memoryStore(first), settings)).toEqual(first);
    expect(storeState.credential).toEqual(first);
    expect(await storeState.read(memoryStore(), settings)).toBeUndefined();
    expect(storeState.credential).toBeUndefined();
  });

  it.each([
    ["issuer", { issuer: "https://other.test" }],
    ["client", { clientId: "other" }],
  ])("refuses the credential of another %s, and does not keep it", async (_, fields) => {
    const storeState = new StoreState();
    await expect(storeState.read(memoryStore({ ...first, ...fields }), settings)).rejects.toMatchObject({
      code: "auth:issuer_mismatch",
    });
    expect(storeState.credential).toBeUndefined();
  });
});

describe("a refreshed credential that could not be stored", () => {
  it("is newer than the one that it replaces, also after it was refreshed again", async () => {
    const storeState = unsavedState();
    expect(await storeState.read(memoryStore(first), settings)).toEqual(second);
    storeState.setUnsaved(third, second);
    expect(await storeState.read(memoryStore(first), settings)).toEqual(third);
    expect(storeState.hasUnsavedCredential).toBe(true);
  });

  it("gives way to one that another process has stored, for good", async () => {
    const storeState = unsavedState();
    expect(await storeState.read(memoryStore(foreign), settings)).toEqual(foreign);
    expect(storeState.hasUnsavedCredential).toBe(false);
    expect(await storeState.read(memoryStore(first), settings)).toEqual(first);
  });

  it.each([
    ["a login", third],
    ["a logout", undefined],
  ])("is forgotten after %s", (_, credential) => {
    const storeState = unsavedState();
    storeState.resetTo(credential);
    expect(storeState.hasUnsavedCredential).toBe(false);
    expect(storeState.credential).toBe(credential);
  });

  it("is forgotten once it is saved", () => {
    const storeState = unsavedState();
    storeState.markSaved();
    expect(storeState.hasUnsavedCredential).toBe(false);
    expect(storeState.findReplacementOf(first)).toBeUndefined();
  });
});

describe("a login during a read", () => {
  it("stays, with what it could not store", async () => {
    const storeState = new StoreState();
    let finishRead: (credential: Credential) => void = () => undefined;
    const store = {
      ...memoryStore(),
      read: () => new Promise<Credential>((resolve) => (finishRead = resolve)),
    };
    const read = storeState.read(store, settings);
    storeState.resetTo(second);
    storeState.setUnsaved(third, second);
    finishRead(first);
    expect(await read).toEqual(first);
    expect(storeState.credential).toEqual(third);
    expect(storeState.hasUnsavedCredential).toBe(true);
  });
});
