import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readdirSync, readlinkSync } from "node:fs";
import { readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isOnKnownLocalFileSystem, LockPipe, readPipeHolderLiveness } from "./lock-pipe.js";
import { DirectoryLock } from "./directory-lock.js";
import { temporaryDirectory } from "../../../test/cluster.js";
import { elsewhere, lockText } from "../../../test/lock-owners.js";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const file = (): string => join(directory, "platform.lock");
const pipe = (): string => `${file()}.0123456789ab.pipe`;
const left = async (): Promise<string[]> => (await readdir(directory)).sort();

const acquire = async (): Promise<DirectoryLock> => DirectoryLock.acquire(directory);

/** What a lock of this directory says whose process runs in another container. */
const hidden = async (fields: object = {}): Promise<string> =>
  lockText({ ...elsewhere, directory: (await stat(directory)).ino, ...fields });

const inUse = { code: "platform:data_dir_in_use" };
const mightBeInUse = {
  ...inUse,
  message: expect.stringContaining("cannot tell whether the process that locked it has ended"),
  hint: expect.stringMatching(
    /^Stop the other mgmt dev\. If no other process uses the directory, remove \/.*\/platform\.lock/,
  ),
};

describe.skipIf(process.platform !== "linux")("a pipe", () => {
  const openFiles = (): string[] =>
    readdirSync("/proc/self/fd").map((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`);
      } catch {
        // The one that reads the folder.
        return "";
      }
    });

  it("is open until it is removed", async () => {
    const lockPipe = await LockPipe.create(pipe());
    expect([readPipeHolderLiveness(pipe()), openFiles().includes(pipe())]).toEqual(["alive", true]);
    await lockPipe?.closeAndRemove();
    expect(openFiles().filter((path) => path.startsWith(pipe()))).toEqual([]);
    expect(await left()).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("the lock of a process in another container", () => {
  const makePipe = (): void => void execFileSync("mkfifo", ["-m", "600", pipe()]);

  it("is refused while a process has its pipe open, and taken over when none has", async ({ skip }) => {
    if (!(await isOnKnownLocalFileSystem(directory)))
      skip("The temporary directory is not on a local file system");
    makePipe();
    await writeFile(file(), await hidden());
    const descriptor = openSync(pipe(), constants.O_RDWR | constants.O_NONBLOCK);
    await expect(acquire()).rejects.toMatchObject({
      ...inUse,
      message: expect.stringContaining("in another container"),
      hint: expect.not.stringContaining("kill"),
    });
    expect(await left()).toEqual(["platform.lock", "platform.lock.0123456789ab.pipe"]);
    closeSync(descriptor);
    await (await acquire()).release();
    expect(await left()).toEqual([]);
  });

  it.each([
    ["has no pipe", () => undefined],
    ["has a file in the place of its pipe", () => writeFile(pipe(), "")],
    ["has a link in the place of its pipe", () => symlink("/dev/null", pipe())],
  ])("is refused and kept when it %s", async (_, prepare) => {
    await prepare();
    await writeFile(file(), await hidden());
    const before = await left();
    await expect(acquire()).rejects.toMatchObject(mightBeInUse);
    expect(await left()).toEqual(before);
  });

  it("is refused on a file system that another machine can use, even if nobody here has its pipe open", async () => {
    makePipe();
    await writeFile(file(), await hidden({ isLocal: false }));
    await expect(acquire()).rejects.toMatchObject(mightBeInUse);
  });

  it("does not lock a copy of its directory, from which the pipe is missing", async ({ skip }) => {
    if (!(await isOnKnownLocalFileSystem(directory)))
      skip("The temporary directory is not on a local file system");
    await writeFile(file(), await hidden({ directory: 1 }));
    await (await acquire()).release();
  });
});
