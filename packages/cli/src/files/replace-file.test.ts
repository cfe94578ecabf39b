import {
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { describeCause } from "../errors/cli-error.js";
import { replaceFile } from "./replace-file.js";
import { temporaryFolder } from "../../test/folders.js";

// The module that is tested may be loaded already, so that it is not given another one.
const { promises: files } = process.getBuiltinModule("node:fs");

const parent = temporaryFolder();
let root: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(parent, "folder-"));
  file = join(root, ".env");
  writeFileSync(file, "old", { mode: 0o640 });
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const systemError = (code: string): Error => Object.assign(new Error(code), { code });
/** Replaces the text. Returns why it could not. */
const replace = (): Promise<string | undefined> =>
  replaceFile(file, { root }, () => Buffer.from("new")).then(() => undefined, describeCause);
const expectUnchanged = (): void => {
  expect(readdirSync(root)).toEqual([".env"]);
  expect(readFileSync(file, "utf8")).toBe("old");
};

/** Lets the file belong to another account. Returns the calls that give the new file to it. */
const ofAnotherAccount = async (): Promise<ReturnType<typeof vi.fn>> => {
  const handle = await open(file);
  const found = await handle.stat();
  await handle.close();
  // The class is not exported.
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  vi.spyOn(prototype, "stat").mockImplementationOnce(() =>
    Promise.resolve<Stats>(Object.assign(found, { uid: 54_321, gid: 65_432 })),
  );
  return vi.spyOn(prototype, "chown").mockResolvedValue();
};

describe("a file that is replaced", () => {
  it("keeps its owner, group and permissions", async () => {
    const chown = await ofAnotherAccount();
    expect(await replace()).toBeUndefined();
    expect(chown.mock.calls).toEqual([[54_321, 65_432]]);
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it.runIf(process.geteuid?.() === 0)("still belongs to its user if root replaces it", async () => {
    chownSync(file, 54_321, 65_432);
    expect(await replace()).toBeUndefined();
    const { uid, gid, mode } = statSync(file);
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 54_321, gid: 65_432, mode: 0o640 });
  });

  it("is not given away if it is this user's", async () => {
    const handle = await open(file);
    await handle.close();
    const chown = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "chown");
    expect(await replace()).toBeUndefined();
    expect(chown).not.toHaveBeenCalled();
  });

  it.each(["EPERM", "EINVAL"])("is left as it is if its owner cannot be kept: %s", async (code) => {
    const chown = await ofAnotherAccount();
    chown.mockRejectedValue(systemError(code));
    expect(await replace()).toBe("this user cannot keep its owner and group, 54321:65432");
    expectUnchanged();
  });

  it.each(["EBUSY", "EXDEV"])("is left as it is if it is a mount: %s", async (code) => {
    vi.spyOn(files, "rename").mockRejectedValueOnce(systemError(code));
    syncBuiltinESMExports();
    expect(await replace()).toBe("it is mounted, or used by another program, so that it cannot be replaced");
    expectUnchanged();
  });

  it.each([
    ["EACCES", "its folder cannot be written by this user"],
    ["EPERM", "its folder cannot be written by this user"],
    ["EROFS", "the file system is read-only"],
    ["ENOSPC", "no space left on the device"],
  ])("is left as it is if its folder is read-only or full: %s", async (code, why) => {
    const { open: openFile } = files;
    vi.spyOn(files, "open").mockImplementation((...call) =>
      String(call[0]).endsWith(".part") ? Promise.reject(systemError(code)) : openFile(...call),
    );
    syncBuiltinESMExports();
    expect(await replace()).toBe(why);
    expectUnchanged();
  });
});
