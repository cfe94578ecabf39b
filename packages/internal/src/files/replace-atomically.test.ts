import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replaceAtomically } from "./replace-atomically.js";

let folder: string;
let file: string;
let temporary: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-replace-"));
  file = join(folder, "file");
  temporary = join(folder, "file.tmp");
  writeFileSync(file, "old");
});
afterEach(() => rmSync(folder, { recursive: true }));

const failure = (code: string): Error => Object.assign(new Error(`${code}: no`), { code });

describe("replaceAtomically", () => {
  it("replaces the file by one that only this user can read, and closes it", async () => {
    let handle: FileHandle | undefined;
    await replaceAtomically(file, temporary, async (opened) => {
      handle = opened;
      await opened.writeFile("new");
      // Until it is complete, readers see the old file.
      expect(readFileSync(file, "utf8")).toBe("old");
    });
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(readdirSync(folder)).toEqual(["file"]);
    expect(handle?.fd).toBe(-1);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each(["ENOSPC", "EPERM", "EIO"])("keeps the old file when a write fails with %s", async (code) => {
    let handle: FileHandle | undefined;
    const write = async (opened: FileHandle): Promise<void> => {
      handle = opened;
      await opened.writeFile("ne");
      throw failure(code);
    };
    await expect(replaceAtomically(file, temporary, write)).rejects.toThrow(failure(code));
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["file"]);
    expect(handle?.fd).toBe(-1);
  });

  it("leaves no file when it cannot be renamed", async () => {
    const directory = join(folder, "directory");
    mkdirSync(join(directory, "full"), { recursive: true });
    await expect(
      replaceAtomically(directory, temporary, (opened) => opened.writeFile("new")),
    ).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/);
    expect(readdirSync(folder).sort()).toEqual(["directory", "file"]);
  });

  it("fails where the temporary file cannot be created", async () => {
    const write = (): Promise<void> => Promise.reject(new Error("must not be called"));
    await expect(replaceAtomically(file, join(folder, "none", "tmp"), write)).rejects.toThrow("ENOENT");
    expect(readFileSync(file, "utf8")).toBe("old");
  });
});
