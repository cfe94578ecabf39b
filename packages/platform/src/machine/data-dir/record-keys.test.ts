import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRecordKeys, readRecordKeys } from "./record-keys.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgmt-keys-"));
  file = join(folder, "record-keys");
});
afterEach(() => rm(folder, { recursive: true }));

const create = (ephemeral: boolean) => createRecordKeys({ path: folder, ephemeral });

describe.skipIf(process.platform === "win32")("the file with the keys of a data directory", () => {
  it("is made for this account only, and is read as it was made", async () => {
    const keys = await create(false);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["record-keys"]);
    expect((await readRecordKeys(folder)).current.id).toBe(keys.current.id);
  });

  it("does not exist when the records end with the process", async () => {
    const [first, second] = [await create(true), await create(true)];
    expect(await readdir(folder)).toEqual([]);
    expect(first.current.id).not.toBe(second.current.id);
  });

  it("is read again when it has another first key", async () => {
    const keys = await create(false);
    const list = await readFile(file, "utf8");
    const before = keys.current.id;
    await create(false);
    await writeFile(file, (await readFile(file, "utf8")) + list);
    await keys.reload();
    expect(keys.current.id).not.toBe(before);
    expect(keys.get(before).id).toBe(before);
  });

  const write = (text: string) => () => writeFile(file, text, { mode: 0o600 });

  it.each([
    ["is missing", () => Promise.resolve(), "platform:record_keys_missing", "is missing"],
    ["is empty", write(""), "platform:record_keys_invalid", "it is empty"],
    [
      "has a short key",
      write("c2hvcnQ=\n"),
      "platform:record_keys_invalid",
      "line 1 is not a key of 32 bytes",
    ],
    ["is a link", () => symlink("other", file), "platform:record_keys_unreadable", "ELOOP"],
    ["is a directory", () => mkdir(file), "platform:data_dir_unsafe", "not a regular file"],
    [
      "can be changed by others",
      async () => {
        await create(false);
        await chmod(file, 0o622);
      },
      "platform:data_dir_unsafe",
      "other accounts can write",
    ],
  ])("is refused when it %s, with what to do", async (_, prepare, code, message) => {
    await prepare();
    const error: unknown = await readRecordKeys(folder).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code,
      message: expect.stringContaining(message),
      hint: expect.stringContaining("Nothing"),
    });
    expect(error).toHaveProperty("message", expect.stringContaining(file));
  });
});
