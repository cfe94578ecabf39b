import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";

const made: string[] = [];

afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Root may read and write everything, so what is forbidden to others is tried as nobody. */
export const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const shared: string[] = [];

afterAll(async () => {
  for (const folder of shared.splice(0)) await rm(folder, { recursive: true, force: true });
});

const make = async (list: string[]): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "mgmt-auth-"));
  list.push(folder);
  await chmod(folder, 0o777);
  return folder;
};

/** A folder outside the repository, which nobody may use too. Goes with the test. */
export const makeFolder = (): Promise<string> => make(made);

/** The same for all tests of a file. */
export const makeSharedFolder = (): Promise<string> => make(shared);

/** Does the work as a user whom file modes concern. */
export const asNobody = async <T>(work: () => Promise<T>): Promise<T> => {
  if (nobody.uid === undefined) return work();
  process.seteuid?.(nobody.uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
};
