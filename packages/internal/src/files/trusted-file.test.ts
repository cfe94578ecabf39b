import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UntrustedFileError } from "./file-owner.js";
import { readTrustedFileSync } from "./trusted-file-sync.js";
import { readTrustedFile } from "./trusted-file.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-trusted-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const readers = {
  readTrustedFile,
  readTrustedFileSync: (file: string) => Promise.resolve().then(() => readTrustedFileSync(file)),
};

describe.each(Object.entries(readers))("%s", (_, read) => {
  it("reads a file, also through a link of this user", async () => {
    writeFileSync(join(folder, "file"), "é text", { mode: 0o644 });
    symlinkSync("file", join(folder, "link"));
    expect(await read(join(folder, "file"))).toBe("é text");
    expect(await read(join(folder, "link"))).toBe("é text");
  });

  it("fails with the error of the system for a file that is missing", async () => {
    await expect(read(join(folder, "none"))).rejects.toThrow("ENOENT");
  });

  it("refuses a directory", async () => {
    mkdirSync(join(folder, "directory"));
    await expect(read(join(folder, "directory"))).rejects.toMatchObject({
      message: "it is not a regular file",
      reason: "not_regular_file",
    });
  });

  it.skipIf(process.platform === "win32")("refuses a file that everybody can write", async () => {
    writeFileSync(join(folder, "file"), "text");
    chmodSync(join(folder, "file"), 0o646);
    await expect(read(join(folder, "file"))).rejects.toThrow(UntrustedFileError);
  });
});
