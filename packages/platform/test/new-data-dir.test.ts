import { mkdir, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openDataDir } from "../src/data-dir/data-dir.js";
import { ephemeralBase } from "../src/directories.js";
import { temporaryDirectory } from "./cluster.js";

let root: string;

beforeAll(async () => {
  root = await temporaryDirectory(await ephemeralBase());
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => rm(root, { recursive: true, force: true }));

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
});
