import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  isUnfinishedFile,
  removeUnfinishedFiles,
  syncParents,
  buildTemporaryPath,
  writeAtomically,
} from "./atomic-file.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgmt-atomic-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("writeAtomically", () => {
  it.each([true, false])("replaces a file, durable: %s, and leaves no other", async (durable) => {
    const path = join(folder, "file");
    for (const text of ["old", "new"]) await writeAtomically(path, text, { isDurable: durable });
    expect(await readFile(path, "utf8")).toBe("new");
    expect(await readdir(folder)).toEqual(["file"]);
    if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

describe("the files of a process that was killed while it wrote", () => {
  it.each([
    [true, "a.json.0123456789ab.tmp"],
    [false, "a.json"],
    [false, "a.json.0123456789ab"],
    [false, "a.json.0123456789AB.tmp"],
    [false, "a.json.0123456789abc.tmp"],
    [false, "b.json.0123456789ab.tmp"],
    [false, "xa.json.0123456789ab.tmp"],
  ])("are recognized by their names: %s for %s", (isUnfinished, name) => {
    expect(isUnfinishedFile(name, ["other", "a.json"])).toBe(isUnfinished);
  });

  it("are removed, and no others", async () => {
    const unfinished = buildTemporaryPath(join(folder, "a.json"));
    await mkdir(unfinished);
    for (const path of [
      join(unfinished, "inner"),
      join(folder, "a.json"),
      buildTemporaryPath(join(folder, "b")),
    ])
      await writeFile(path, "");
    await removeUnfinishedFiles(folder, ["a.json"]);
    expect(await readdir(folder)).toEqual(["a.json", expect.stringMatching(/^b\./)]);
  });
});

describe("syncParents", () => {
  it("accepts parents up to the root, which this account may not sync", async () => {
    await expect(syncParents(join(folder, "new"))).resolves.toBeUndefined();
  });

  it("fails for a parent that does not exist", async () => {
    await expect(syncParents(join(folder, "none", "new"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
