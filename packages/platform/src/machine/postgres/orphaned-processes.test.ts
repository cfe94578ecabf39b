import { existsSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stopOrphanedServers } from "./orphaned-processes.js";
import { temporaryDirectory } from "../../../test/cluster.js";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory(tmpdir());
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Whether the file with the process id of a server is left. */
const isLeft = async (text: string): Promise<boolean> => {
  const file = join(directory, "postmaster.pid");
  await writeFile(file, text);
  await stopOrphanedServers(directory);
  return existsSync(file);
};

describe("the file with the process id of a killed server", () => {
  it("is removed before another process of the start can receive that id", async () => {
    // No process has the highest possible id.
    expect(await isLeft("4194304\n/data\n")).toBe(false);
  });

  it.each(["", "\n", "4194304", "4194304x\n", "41943.04\n", "0x400000\n", "none\n"])(
    "is removed when it has no process id: %j",
    async (text) => {
      expect(await isLeft(text)).toBe(false);
    },
  );

  it.each([
    ["is a directory", (file: string) => mkdir(file)],
    ["is a symbolic link", (file: string) => symlink("/dev/null", file)],
  ])("is refused when it cannot be read: it %s", async (_, create) => {
    await create(join(directory, "postmaster.pid"));
    await expect(stopOrphanedServers(directory)).rejects.toMatchObject({ code: "platform:data_dir_unsafe" });
  });

  it("may be missing", async () => {
    await expect(stopOrphanedServers(directory)).resolves.toBeUndefined();
  });
});
