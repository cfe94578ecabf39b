import { randomUUID } from "node:crypto";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProfileStore } from "./profile-store.js";
import { temporaryFolder } from "../../test/folders.js";

const folder = temporaryFolder();

const initial = { baseUrl: "http://127.0.0.1:1" };
const login = (accessToken: string) => ({
  accessToken,
  refreshToken: `${accessToken}-refresh`,
  issuer: "http://127.0.0.1:1",
  clientId: "client",
  scopes: [],
  issuedAt: 1,
  expiresAt: 2,
});

describe("a read-only profiles file", () => {
  it("accepts a refreshed login for which it was writable before, and stays read-only", async () => {
    const file = join(folder, `${randomUUID()}.json`);
    const store = createProfileStore(file, "one", initial);
    await store.write(login("first"));
    const reservation = await store.reserve?.();
    chmodSync(file, 0o400);
    await reservation?.write(login("second"));
    await reservation?.release();
    expect(await store.read()).toEqual(login("second"));
    expect(statSync(file).mode & 0o777).toBe(0o400);
  });

  it("refuses a reservation before the refresh, and is left unchanged", async () => {
    const file = join(folder, `${randomUUID()}.json`);
    const store = createProfileStore(file, "one", initial);
    await store.write(login("first"));
    chmodSync(file, 0o400);
    const before = readFileSync(file, "utf8");
    await expect(store.reserve?.()).rejects.toMatchObject({ code: "profiles:unwritable" });
    await expect(store.write(login("second"))).rejects.toMatchObject({ code: "profiles:unwritable" });
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("refuses a reservation if it has other content", async () => {
    const file = join(folder, `${randomUUID()}.json`);
    writeFileSync(file, "my notes");
    await expect(createProfileStore(file, "one", initial).reserve?.()).rejects.toMatchObject({
      code: "profiles:corrupt",
    });
    expect(readFileSync(file, "utf8")).toBe("my notes");
  });
});
