import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DirectoryLock, removeStaleLock } from "./directory-lock.js";
import { temporaryDirectory } from "../../../test/cluster.js";
import { elsewhere, endedPid, lockText } from "../../../test/lock-owners.js";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const file = (): string => join(directory, "platform.lock");
const left = async (): Promise<string[]> => (await readdir(directory)).sort();

const acquire = async (): Promise<DirectoryLock> => DirectoryLock.acquire(directory);

const inUse = { code: "platform:data_dir_in_use" };
const mightBeInUse = {
  ...inUse,
  message: expect.stringContaining("cannot tell whether the process that locked it has ended"),
  hint: expect.stringMatching(
    /^Stop the other mgmt dev\. If no other process uses the directory, remove \/.*\/platform\.lock/,
  ),
};

describe("the lock of a data directory", () => {
  it.each([
    ["has ended", { pid: endedPid }],
    ["has another start time, because its id was reused", { started: "long ago" }],
  ])("is taken over when its process %s", async (_, fields) => {
    await writeFile(file(), lockText(fields));
    const lock = await acquire();
    await expect(acquire()).rejects.toMatchObject(inUse);
    await lock.release();
    expect(await left()).toEqual([]);
  });

  it("is kept when another process has taken it after it was found to be stale", async () => {
    const lock = await acquire();
    const own = join(directory, "own");
    await writeFile(own, lockText());
    await removeStaleLock(file(), own);
    await expect(acquire()).rejects.toMatchObject(inUse);
    await lock.release();
  });

  it("is taken by exactly one of many that find a stale one", async () => {
    await writeFile(file(), lockText({ pid: endedPid }));
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, acquire));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("closes its pipe when it is released", async () => {
    const lock = await acquire();
    await lock.release();
    expect(lock.descriptor).toBeUndefined();
    await lock.release();
  });
});

describe("a lock that says nothing that can be checked", () => {
  const text = lockText();
  it.each([
    ["is empty", ""],
    ["is cut short", text.slice(0, text.length / 2)],
    ["is the file of another program", "4711\n/var/lib/other\n"],
    ["is JSON of something else", '{"lock":true}'],
    ["has a process id that no process has", lockText({ pid: 0 })],
    ["names a file elsewhere", lockText({ ...elsewhere, id: "../../other" })],
    ["is of a process on another machine", lockText({ ...elsewhere, isLocal: false })],
    [
      "is of a process whose system does not say where it runs",
      lockText({ place: null, machine: null, isLocal: false }),
    ],
  ])("is refused and kept when it %s", async (_, content) => {
    await writeFile(file(), content);
    await expect(acquire()).rejects.toMatchObject(mightBeInUse);
    expect(await left()).toEqual(["platform.lock"]);
    // What the hint says.
    await rm(file());
    await (await acquire()).release();
  });

  it("is refused when it guards the removal of another one", async () => {
    await writeFile(file(), lockText({ pid: endedPid }));
    await writeFile(`${file()}.removal`, "");
    await expect(acquire()).rejects.toMatchObject({
      ...inUse,
      hint: expect.stringContaining("remove " + `${file()}.removal`),
    });
    expect(await left()).toEqual(["platform.lock", "platform.lock.removal"]);
  });
});
