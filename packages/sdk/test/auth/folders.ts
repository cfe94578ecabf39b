import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Returns options of a child process to which file modes apply: root runs it as nobody. */
export const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Creates a folder that every user may write to. */
export const makeSharedFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "mgmt-auth-"));
  await chmod(folder, 0o777);
  return folder;
};

/** Creates a folder that every user may write to. It is removed when the test ends, even if the test has made it read-only. */
export const makeFolder = async (): Promise<string> => {
  const folder = await makeSharedFolder();
  onTestFinished(async () => {
    // Only root can remove what is in a read-only folder.
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
};

/** Runs `work` as a user to whom file modes apply. */
export const asNobody = async <T>(work: () => Promise<T>): Promise<T> => {
  if (nobody.uid === undefined) return work();
  process.seteuid?.(nobody.uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
};
