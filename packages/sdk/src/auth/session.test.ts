import { describe, expect, it } from "vitest";
import { type Credential, memoryStore } from "@mgmt/sdk/auth";
import { readOAuthSettings } from "./oauth-settings.js";
import { Session, sessionOf } from "./session.js";

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

/** A session that could not store the second credential, which replaces the first. */
const unsavedSession = (): Session => {
  const session = new Session();
  session.setUnsaved(second, first);
  return session;
};

describe("the session of a store", () => {
  it("is the same for all that use the store", () => {
    const store = memoryStore();
    expect(sessionOf(store)).toBe(sessionOf(store));
    expect(sessionOf(memoryStore())).not.toBe(sessionOf(store));
  });

  it("reads the stored credential", async () => {
    const session = new Session();
    expect(await session.read(memoryStore(first), settings)).toEqual(first);
    expect(session.credential).toEqual(first);
    expect(await session.read(memoryStore(), settings)).toBeUndefined();
    expect(session.credential).toBeUndefined();
  });

  it.each([
    ["issuer", { issuer: "https://other.test" }],
    ["client", { clientId: "other" }],
  ])("refuses the credential of another %s, and does not keep it", async (_, fields) => {
    const session = new Session();
    await expect(session.read(memoryStore({ ...first, ...fields }), settings)).rejects.toMatchObject({
      code: "auth:issuer_mismatch",
    });
    expect(session.credential).toBeUndefined();
  });
});

describe("a refreshed credential that could not be stored", () => {
  it("is newer than the one that it replaces, also after it was refreshed again", async () => {
    const session = unsavedSession();
    expect(await session.read(memoryStore(first), settings)).toEqual(second);
    session.setUnsaved(third, second);
    expect(await session.read(memoryStore(first), settings)).toEqual(third);
    expect(session.isUnsaved).toBe(true);
  });

  it("gives way to one that another process has stored, for good", async () => {
    const session = unsavedSession();
    expect(await session.read(memoryStore(foreign), settings)).toEqual(foreign);
    expect(session.isUnsaved).toBe(false);
    expect(await session.read(memoryStore(first), settings)).toEqual(first);
  });

  it.each([
    ["a login", third],
    ["a logout", undefined],
  ])("is forgotten after %s", (_, credential) => {
    const session = unsavedSession();
    session.replace(credential);
    expect(session.isUnsaved).toBe(false);
    expect(session.credential).toBe(credential);
  });

  it("is forgotten once it is saved", () => {
    const session = unsavedSession();
    session.markSaved();
    expect(session.isUnsaved).toBe(false);
    expect(session.findNewerThan(first)).toBeUndefined();
  });
});

describe("a login during a read", () => {
  it("stays, with what it could not store", async () => {
    const session = new Session();
    let finishRead: (credential: Credential) => void = () => undefined;
    const store = {
      ...memoryStore(),
      read: () => new Promise<Credential>((resolve) => (finishRead = resolve)),
    };
    const read = session.read(store, settings);
    session.replace(second);
    session.setUnsaved(third, second);
    finishRead(first);
    expect(await read).toEqual(first);
    expect(session.credential).toEqual(third);
    expect(session.isUnsaved).toBe(true);
  });
});
