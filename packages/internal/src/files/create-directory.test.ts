import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDirectory } from "./create-directory.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mgmt-directory-"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("createDirectory", () => {
  it("creates a directory and its parents for this user only, and says whether it is new", () => {
    const path = join(root, "a", "b", "c");
    expect([createDirectory(path), createDirectory(path)]).toEqual([true, false]);
    if (process.platform === "win32") return;
    for (const each of [path, join(root, "a")]) expect(statSync(each).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.platform === "win32")("accepts a link to a directory, and refuses one to nothing", () => {
    createDirectory(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    symlinkSync("nothing", join(root, "dangling"));
    expect(createDirectory(join(root, "link"))).toBe(false);
    expect(() => createDirectory(join(root, "dangling"))).toThrow("EEXIST");
  });

  it.each([
    ["file", "EEXIST"],
    ["file/a", "ENOTDIR"],
    ["file/a/b", "ENOTDIR"],
  ])("fails with the error of the system where a file is: %s", (name, code) => {
    writeFileSync(join(root, "file"), "");
    expect(() => createDirectory(join(root, name))).toThrow(code);
  });

  it.runIf(process.platform === "linux").each(["/proc/mgmt", "/proc/mgmt/a/b", "/proc/self/mgmt"])(
    "fails with the error of the system where nothing can be created: %s",
    (path) => {
      expect(() => createDirectory(path)).toThrow(/ENOENT|EACCES/);
    },
  );
});
