import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DirectoryLock, lockFileName } from "../../src/machine/data-dir/directory-lock.js";
import { ephemeralDirPrefix, removeAbandonedEphemeralDirs } from "../../src/machine/ephemeral-dir.js";
import { temporaryDirectory } from "../cluster.js";
import { elsewhere, endedPid, lockText } from "../lock-owners.js";

let base: string;

beforeAll(async () => {
  base = await temporaryDirectory();
});
afterAll(() => rm(base, { recursive: true, force: true }));

const make = async (name: string): Promise<string> => {
  const path = join(base, name);
  await mkdir(path);
  return path;
};

it("removes the directories of killed ephemeral platforms, and nothing else", async () => {
  const living = await make(`${ephemeralDirPrefix}living`);
  await DirectoryLock.acquire(living);
  const killed = await make(`${ephemeralDirPrefix}killed`);
  await writeFile(join(killed, lockFileName), lockText({ pid: endedPid }));
  const hidden = await make(`${ephemeralDirPrefix}hidden`);
  await writeFile(join(hidden, lockFileName), lockText({ ...elsewhere, pid: endedPid, isLocal: false }));
  const empty = await make(`${ephemeralDirPrefix}empty`);
  await writeFile(join(empty, lockFileName), "");
  await make(`${ephemeralDirPrefix}starting`);
  const cutShort = await make(`${ephemeralDirPrefix}cut-short`);
  const locking = await make(`${ephemeralDirPrefix}locking`);
  await writeFile(join(locking, `${lockFileName}.0123456789ab`), "");
  const unknown = await make(`${ephemeralDirPrefix}unknown`);
  await writeFile(join(unknown, "thesis.txt"), "years of work");
  await make("another");
  for (const path of [cutShort, locking, unknown, empty]) await utimes(path, 0, 0);
  await writeFile(join(base, `${ephemeralDirPrefix}file`), "");

  await removeAbandonedEphemeralDirs(base);
  expect((await readdir(base)).sort()).toEqual(
    [
      "another",
      ...["empty", "file", "hidden", "living", "starting", "unknown"].map(
        (name) => ephemeralDirPrefix + name,
      ),
    ].sort(),
  );
});
