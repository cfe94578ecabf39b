import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { profileStore } from "../../src/credentials/profile-store.js";
import { temporaryFolder } from "../folders.js";

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

describe("a file that is marked read-only", () => {
  it("while a refresh token is being used up takes its successor, and stays marked", async () => {
    const file = join(temporaryFolder(), "config.json");
    const store = profileStore(file, "one", initial);
    await store.write(login("first"));
    const place = await store.reserve?.();
    chmodSync(file, 0o400);
    await place?.write(login("second"));
    await place?.release();
    expect(await store.read()).toEqual(login("second"));
    expect(statSync(file).mode & 0o777).toBe(0o400);
  });

  it("before that has no place to give, and is left as it is", async () => {
    const file = join(temporaryFolder(), "config.json");
    const store = profileStore(file, "one", initial);
    await store.write(login("first"));
    chmodSync(file, 0o400);
    const before = readFileSync(file, "utf8");
    await expect(store.reserve?.()).rejects.toMatchObject({ code: "profiles:unwritable" });
    await expect(store.write(login("second"))).rejects.toMatchObject({ code: "profiles:unwritable" });
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("has no place to give when it holds something else", async () => {
    const file = join(temporaryFolder(), "config.json");
    writeFileSync(file, "my notes");
    await expect(profileStore(file, "one", initial).reserve?.()).rejects.toMatchObject({
      code: "profiles:corrupt",
    });
    expect(readFileSync(file, "utf8")).toBe("my notes");
  });
});
