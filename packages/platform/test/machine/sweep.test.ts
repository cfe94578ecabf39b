import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DirectoryLock, lockName } from "../../src/machine/data-dir/directory-lock.js";
import { ephemeralPrefix, sweepEphemeral } from "../../src/machine/ephemeral-dir.js";
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
  const living = await make(`${ephemeralPrefix}living`);
  await DirectoryLock.acquire(living);
  const killed = await make(`${ephemeralPrefix}killed`);
  await writeFile(join(killed, lockName), lockText({ pid: endedPid }));
  const hidden = await make(`${ephemeralPrefix}hidden`);
  await writeFile(join(hidden, lockName), lockText({ ...elsewhere, pid: endedPid, isLocal: false }));
  const empty = await make(`${ephemeralPrefix}empty`);
  await writeFile(join(empty, lockName), "");
  await make(`${ephemeralPrefix}starting`);
  const cutShort = await make(`${ephemeralPrefix}cut-short`);
  const locking = await make(`${ephemeralPrefix}locking`);
  await writeFile(join(locking, `${lockName}.0123456789ab`), "");
  const unknown = await make(`${ephemeralPrefix}unknown`);
  await writeFile(join(unknown, "thesis.txt"), "years of work");
  await make("another");
  for (const path of [cutShort, locking, unknown, empty]) await utimes(path, 0, 0);
  await writeFile(join(base, `${ephemeralPrefix}file`), "");

  await sweepEphemeral(base);
  expect((await readdir(base)).sort()).toEqual(
    [
      "another",
      ...["empty", "file", "hidden", "living", "starting", "unknown"].map((name) => ephemeralPrefix + name),
    ].sort(),
  );
});
