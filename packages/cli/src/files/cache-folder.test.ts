import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { getHomeFolder } from "@mgmt/internal/files/user-folders";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { getCacheFolder, isProtectedFolder, readOwnedFile, writeFileAtomically } from "./cache-folder.js";
import { temporaryFolder } from "../../test/folders.js";

const root = temporaryFolder();
let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(root, "home-"));
  folder = join(home, "caches/code");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
});

describe.skipIf(process.platform === "win32")("the folder of caches", () => {
  it.skipIf(process.platform === "darwin").each([undefined, "", "here", "./here", "../here"])(
    "is that of the user if XDG_CACHE_HOME is no absolute path: %j",
    (path) => {
      const own = join(getHomeFolder(), ".cache/mgmt");
      expect(getCacheFolder({ XDG_CACHE_HOME: path })).toBe(own);
      expect(getCacheFolder({ XDG_CACHE_HOME: home }, "code")).toBe(join(home, "mgmt/code"));
    },
  );

  it.each<[string, () => void]>([
    ["can be written by others", () => chmodSync(folder, 0o777)],
    ["can be written by the group", () => chmodSync(folder, 0o770)],
    ["is in one that others can write", () => chmodSync(join(home, "caches"), 0o777)],
    [
      "is a link",
      () => {
        renameSync(folder, join(home, "elsewhere"));
        symlinkSync(join(home, "elsewhere"), folder);
      },
    ],
    [
      "is a link to nothing",
      () => {
        renameSync(folder, join(home, "elsewhere"));
        symlinkSync(join(home, "nowhere"), folder);
      },
    ],
    [
      "a link leads to, below one that others can write",
      () => {
        const shared = join(home, "shared");
        mkdirSync(join(shared, "own"), { recursive: true });
        renameSync(join(home, "caches"), join(shared, "own/caches"));
        symlinkSync(join(shared, "own/caches"), join(home, "caches"));
        expect(isProtectedFolder(folder)).toBe(true);
        chmodSync(shared, 0o777);
      },
    ],
    ["is of another user", () => vi.spyOn(process, "getuid").mockReturnValue(54_321)],
  ])("is not safe if it %s", (_, change) => {
    expect([isProtectedFolder(folder), isProtectedFolder(join(folder, "new/one"))]).toEqual([true, true]);
    change();
    expect(isProtectedFolder(folder)).toBe(false);
  });
});

describe.skipIf(process.platform === "win32")("a file of a cache", () => {
  it("is read unless others can write it", () => {
    const file = join(folder, "file");
    expect(readOwnedFile(file)).toBeUndefined();
    writeFileSync(file, "text", { mode: 0o600 });
    expect(String(readOwnedFile(file))).toBe("text");
    chmodSync(file, 0o620);
    expect(readOwnedFile(file)).toBeUndefined();
    expect(readOwnedFile(folder)).toBeUndefined();
  });

  it("replaces what is there as a whole, follows no link, and leaves no part of it after a failure", () => {
    const [file, other] = [join(folder, "file"), join(home, "other")];
    writeFileSync(other, "kept");
    symlinkSync(other, file);
    symlinkSync(other, `${file}.${String(process.pid)}.part`);
    writeFileAtomically(file, Buffer.from("new"));
    expect([readFileSync(file, "utf8"), readFileSync(other, "utf8")]).toEqual(["new", "kept"]);
    mkdirSync(join(folder, "taken/in"), { recursive: true });
    expect(() => writeFileAtomically(join(folder, "taken"), Buffer.from("new"))).toThrow();
    expect(readdirSync(folder).sort()).toEqual(["file", "taken"]);
  });
});
