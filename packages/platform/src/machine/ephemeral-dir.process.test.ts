import { chmod, mkdir, open, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { isRunningAsRoot } from "./data-dir/postgres-account.js";
import { openDataDir } from "./data-dir/data-dir.js";
import { createEphemeralDir } from "./ephemeral-dir.js";
import { chooseEphemeralParent } from "./data-dir/directories.js";
import { temporaryDirectory } from "../../test/cluster.js";

let root: string;

beforeAll(async () => {
  root = await temporaryDirectory(await chooseEphemeralParent());
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("an ephemeral data directory", () => {
  it.each([
    ["is no directory", (path: string) => writeFile(path, "not a directory")],
    ["does not exist", () => undefined],
    [
      "belongs to everyone, so that another account could replace the data",
      async (path: string) => {
        await mkdir(path);
        await chmod(path, 0o777);
      },
    ],
  ])("is among the temporary files if the one for memory %s", async (_, make) => {
    const unusable = join(root, "memory");
    await rm(unusable, { recursive: true, force: true });
    await make(unusable);
    vi.spyOn(process, "availableMemory").mockReturnValue(2 ** 40);
    vi.stubEnv("TMPDIR", undefined);
    const dataDir = await createEphemeralDir(unusable);
    expect(dirname(dataDir.path)).toBe(await realpath(tmpdir()));
    await dataDir.release();
    await expect(stat(dataDir.path)).rejects.toThrow("ENOENT");
  });
});

describe("the parent of ephemeral data directories", () => {
  it.skipIf(isRunningAsRoot())(
    "is the temporary directory if this process may not write in memory",
    async () => {
      const readOnly = join(root, "read-only");
      await mkdir(readOnly);
      vi.spyOn(process, "availableMemory").mockReturnValue(2 ** 40);
      vi.stubEnv("TMPDIR", undefined);
      expect(await chooseEphemeralParent(readOnly)).toBe(readOnly);
      await chmod(readOnly, 0o555);
      expect(await chooseEphemeralParent(readOnly)).toBe(tmpdir());
    },
  );
});

describe("a new data directory", () => {
  /** Records the inode of everything that is synced to disk. */
  const recordSyncs = async (): Promise<Set<number>> => {
    const synced = new Set<number>();
    const handle = await open(root);
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const { sync } = prototype;
    vi.spyOn(prototype, "sync").mockImplementation(async function (this: typeof handle) {
      await sync.call(this);
      synced.add((await this.stat()).ino);
    });
    return synced;
  };
  const inodeOf = async (path: string): Promise<number> => (await stat(path)).ino;

  it("survives a power failure with its new parents: their entries are synced", async () => {
    const synced = await recordSyncs();
    const dataDir = await openDataDir(join(root, "outer", "inner", "data"));
    await dataDir.release();
    const parents = [root, join(root, "outer"), join(root, "outer", "inner")];
    expect(await Promise.all(parents.map(inodeOf))).toEqual(
      parents.map(() => expect.toSatisfy((inode: number) => synced.has(inode))),
    );
  });

  it("survives a power failure when a killed process has created it", async () => {
    await mkdir(join(root, "created", "data"), { recursive: true, mode: 0o700 });
    const synced = await recordSyncs();
    await (await openDataDir(join(root, "created", "data"))).release();
    expect(synced).toContain(await inodeOf(join(root, "created")));
  });

  const unfinished = "platform.json.0123456789ab.tmp";

  it("is used after a process was killed while it wrote the first platform.json", async () => {
    const path = join(root, "unfinished");
    await mkdir(path, { mode: 0o700 });
    await writeFile(join(path, unfinished), '{"format":', { mode: 0o600 });
    const dataDir = await openDataDir(path);
    expect(dataDir.manifest).toBeUndefined();
    expect((await readdir(path)).filter((name) => name !== "platform.lock")).toEqual(
      process.platform === "linux" ? [expect.stringMatching(/^platform\.lock\.[0-9a-f]{12}\.pipe$/)] : [],
    );
    await dataDir.release();
    expect(await readdir(path)).toEqual([]);
  });

  it("is refused when it contains another file beside an unfinished one, and both are kept", async () => {
    const path = join(root, "foreign");
    await mkdir(path, { mode: 0o700 });
    await writeFile(join(path, unfinished), "", { mode: 0o600 });
    await writeFile(join(path, "notes.txt"), "", { mode: 0o600 });
    await expect(openDataDir(path)).rejects.toMatchObject({ code: "platform:data_dir_corrupt" });
    expect((await readdir(path)).sort()).toEqual(["notes.txt", unfinished]);
  });
});
