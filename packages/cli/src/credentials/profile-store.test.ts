import fs, { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createProfileStore, readLogin } from "./profile-store.js";
import type { Login } from "../sdk/oauth.js";
import { temporaryFolder } from "../../test/folders.js";

const root = temporaryFolder();
const baseUrl = "https://api.example";
const login = (accessToken: string): Login => ({
  accessToken,
  refreshToken: `refresh-${accessToken}`,
  scopes: ["workspace:admin"],
  issuer: baseUrl,
  clientId: "client",
});

let file: string;
let unsavedFile: string;
beforeEach(() => {
  file = join(mkdtempSync(join(root, "profiles-")), "config.json");
  unsavedFile = `${file}~default`;
  store({ login: login("old"), projectId: "proj_1" });
});

const store = (profile: object): void =>
  writeFileSync(file, JSON.stringify({ active: "default", profiles: { default: { baseUrl, ...profile } } }));
const stored = (): Record<string, unknown> =>
  (JSON.parse(readFileSync(file, "utf8")) as { profiles: { default: Record<string, unknown> } }).profiles
    .default;
const open = () => createProfileStore(file, "default", { baseUrl });

/** Reserves the place of a refreshed login, as before its refresh token is used. */
const reserve = async () => {
  const reservation = await open().reserve?.();
  if (!reservation) throw new Error("The store reserves nothing");
  return reservation;
};

describe("a refreshed login", () => {
  it("replaces the old one in the profile, and leaves no other file", async () => {
    const reservation = await reserve();
    expect(existsSync(unsavedFile)).toBe(true);
    await reservation.write(login("new"));
    await reservation.release();
    expect(stored()).toMatchObject({ login: { accessToken: "new" }, projectId: "proj_1" });
    expect(existsSync(unsavedFile)).toBe(false);
  });

  it("is not lost if the profiles file cannot be written: the next run finds and moves it", async () => {
    const reservation = await reserve();
    const content = readFileSync(file);
    writeFileSync(file, "no JSON");
    await expect(reservation.write(login("new"))).rejects.toMatchObject({ code: "profiles:corrupt" });
    await reservation.release();
    writeFileSync(file, content);
    expect(readLogin(file, "default")?.accessToken).toBe("new");
    expect(stored()).toMatchObject({ login: { accessToken: "old" } });
    const next = await reserve();
    expect(stored()).toMatchObject({ login: { accessToken: "new" } });
    await next.release();
    expect(existsSync(unsavedFile)).toBe(false);
  });

  it("replaces the one that was not saved either", async () => {
    const first = await reserve();
    const content = readFileSync(file);
    writeFileSync(file, "no JSON");
    await first.write(login("second")).catch(() => undefined);
    await first.release();
    writeFileSync(file, content);
    const second = await reserve();
    writeFileSync(file, "no JSON");
    await second.write(login("third")).catch(() => undefined);
    await second.release();
    // What the profiles file has by now is the second one, which the third replaces.
    store({ login: login("second") });
    expect(readLogin(file, "default")?.accessToken).toBe("third");
    store({ login: login("another") });
    expect(readLogin(file, "default")?.accessToken).toBe("another");
  });

  it("is removed if it was never written, and by a new login", async () => {
    await (await reserve()).release();
    expect(existsSync(unsavedFile)).toBe(false);
    writeFileSync(unsavedFile, "{}");
    await open().write(login("other"));
    expect([existsSync(unsavedFile), readLogin(file, "default")?.accessToken]).toEqual([false, "other"]);
  });

  it.each([
    "",
    "{",
    "[]",
    JSON.stringify({ login: {} }),
    JSON.stringify({ login: login("x"), replaces: "y" }),
  ])("is not read from a file that is no whole one: %j", (text) => {
    writeFileSync(unsavedFile, text);
    expect(readLogin(file, "default")?.accessToken).toBe("old");
  });
});

describe("the space that is reserved for a refreshed login", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  /** Makes every write to an open file write a few bytes, and the writes after `limit` bytes of the file fail. */
  const limitWrites = (limit: number): void => {
    const { writeSync } = fs;
    vi.spyOn(fs, "writeSync").mockImplementation(((
      file: number,
      bytes: Buffer,
      start: number,
      length: number,
      position: number,
    ) => {
      if (position >= limit) throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
      return writeSync(file, bytes, start, Math.min(length, 100), position);
    }) as typeof writeSync);
    syncBuiltinESMExports();
  };

  it("is on the disk before the refresh token is used", async () => {
    limitWrites(10_000);
    const reservation = await reserve();
    expect(statSync(unsavedFile).size).toBe(8_192);
    await reservation.release();
  });

  it("is refused on a full disk, and leaves no file", async () => {
    limitWrites(1_000);
    await expect(open().reserve?.()).rejects.toMatchObject({ code: "profiles:unwritable" });
    expect(existsSync(unsavedFile)).toBe(false);
  });

  it("gets the whole login if each write accepts a part of it", async () => {
    const reservation = await reserve();
    limitWrites(10_000);
    writeFileSync(file, "no JSON");
    await expect(reservation.write(login("new"))).rejects.toMatchObject({ code: "profiles:corrupt" });
    await reservation.release();
    expect(JSON.parse(readFileSync(unsavedFile, "utf8"))).toMatchObject({ login: login("new") });
  });

  it("keeps what was written before a write failed, which is reported", async () => {
    const reservation = await reserve();
    limitWrites(100);
    await expect(reservation.write(login("new"))).rejects.toMatchObject({
      code: "profiles:unwritable",
      hint: expect.stringContaining("mgmt login"),
    });
    await reservation.release();
    expect(readFileSync(unsavedFile, "utf8")).toContain('{"login":');
    // It is not whole, so it is not used.
    expect(readLogin(file, "default")?.accessToken).toBe("old");
  });
});

describe("the login of a profile", () => {
  it.each([{ accessToken: 1 }, {}, { refreshToken: "x" }])(
    "is refused if it is incomplete: %j",
    (incomplete) => {
      store({ login: incomplete });
      expect(() => readLogin(file, "default")).toThrow(expect.objectContaining({ code: "profiles:corrupt" }));
    },
  );

  it("does not exist without the profile or the file", () => {
    expect(readLogin(file, "other")).toBeUndefined();
    rmSync(file);
    expect(readLogin(file, "default")).toBeUndefined();
  });

  it("replaces a token and the keyring, and keeps the rest of the profile", async () => {
    store({ token: "token", store: "keyring", inKeyring: "token", account: "ada", workspaceId: "ws_1" });
    await open().write(login("new"));
    expect(stored()).toEqual({ baseUrl, workspaceId: "ws_1", login: login("new") });
  });

  it("is all that is removed by the end of it", async () => {
    store({ login: login("old"), account: "ada", projectId: "proj_1" });
    await open().clear();
    expect(stored()).toEqual({ baseUrl, projectId: "proj_1" });
  });
});
