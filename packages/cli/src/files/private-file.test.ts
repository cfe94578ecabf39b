import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { readPrivateFile } from "./private-file.js";

const folder = temporaryFolder();
let count = 0;
const newPath = (): string => join(folder, `key-${String((count += 1))}`);

const write = (text: string, mode = 0o600): string => {
  const path = newPath();
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

describe.skipIf(process.platform === "win32")("a file with a key", () => {
  it.each([
    ["a-key_1", 0o600, "a-key_1"],
    ["\n a-key \n", 0o400, "a-key"],
    ["k".repeat(1_024), 0o600, "k".repeat(1_024)],
    ["k".repeat(1_025), 0o600, undefined],
    ["", 0o600, undefined],
    ["two words", 0o600, undefined],
    ["key", 0o640, undefined],
    ["key", 0o604, undefined],
    ["key", 0o620, undefined],
    ["key", 0o602, undefined],
  ])("with the text %j and the permissions %o", async (text, mode, key) => {
    expect(await readPrivateFile(write(text, mode))).toBe(key);
  });

  it.each([
    ["is missing", newPath],
    [
      "is a folder",
      () => {
        const path = newPath();
        mkdirSync(path, { mode: 0o600 });
        return path;
      },
    ],
    [
      "is a symbolic link to such a file",
      () => {
        const path = newPath();
        symlinkSync(write("key"), path);
        return path;
      },
    ],
  ])("is not read if it %s", async (_, create) => {
    expect(await readPrivateFile(create())).toBeUndefined();
  });
});
