import { constants, type Stats } from "node:fs";
import { chmod, link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  findHardLinkProblem,
  findOwnershipProblem,
  openOwnedFile,
  readOwnedFile,
  readRegularFile,
} from "./safe-file.js";

const own = 1000;

/** The fields that the rules read of a file. */
const statsOf = (fields: Partial<Stats>, kind: "file" | "directory" | "link" | "pipe" = "file"): Stats =>
  // The rules read no others.
  ({
    ...{ uid: own, mode: 0o600, nlink: 1, ...fields },
    isFile: () => kind === "file",
    isDirectory: () => kind === "directory",
    isSymbolicLink: () => kind === "link",
  }) as Stats;

describe("findOwnershipProblem", () => {
  it.each([
    [undefined, "a file that all can read", statsOf({ mode: 0o644 })],
    [undefined, "a directory", statsOf({ mode: 0o755 }, "directory")],
    ["it belongs to another account", "a file of root", statsOf({ uid: 0 })],
    ["other accounts can write to it", "a file that its group can write", statsOf({ mode: 0o620 })],
    [
      "other accounts can write to it",
      "a directory that all can write",
      statsOf({ mode: 0o702 }, "directory"),
    ],
    ["it is a symbolic link", "a link", statsOf({}, "link")],
    ["it is neither a file nor a directory", "a pipe", statsOf({}, "pipe")],
  ])("returns %s for %s", (problem, _, stats) => {
    expect(findOwnershipProblem(stats, own)).toBe(problem);
  });
});

describe("findHardLinkProblem", () => {
  it("is about files with a second name only", () => {
    expect(findHardLinkProblem(statsOf({ nlink: 2 }))).toContain("it is a hard link");
    expect(findHardLinkProblem(statsOf({ nlink: 1 }))).toBeUndefined();
    expect(findHardLinkProblem(statsOf({ nlink: 2 }, "directory"))).toBeUndefined();
  });
});

describe.skipIf(process.platform === "win32")("a file of the data directory", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "mgmt-safe-"));
    file = join(folder, "file");
    await writeFile(file, "text", { mode: 0o600 });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is read", async () => {
    expect([await readOwnedFile(file), await readRegularFile(file)]).toEqual(["text", "text"]);
  });

  it("is created for this account only", async () => {
    const created = await openOwnedFile(join(folder, "new"), constants.O_WRONLY | constants.O_CREAT);
    expect((await created.stat()).mode & 0o777).toBe(0o600);
    await created.close();
  });

  it.each([
    ["a symbolic link", () => symlink("file", join(folder, "bad")), "ELOOP"],
    ["a directory", () => mkdir(join(folder, "bad")), "platform:data_dir_unsafe"],
    [
      "one that others can write",
      async () => {
        await link(file, join(folder, "bad"));
        await chmod(file, 0o602);
      },
      "platform:data_dir_unsafe",
    ],
  ])("is refused when it is %s, and closed", async (_, prepare, code) => {
    await prepare();
    const files = (): number =>
      process.getActiveResourcesInfo().filter((type) => type === "FileHandle").length;
    const before = files();
    await expect(readOwnedFile(join(folder, "bad"))).rejects.toMatchObject({ code });
    expect(files()).toBe(before);
  });
});
