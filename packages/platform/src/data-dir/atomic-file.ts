import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

export interface WriteOptions {
  /** Syncs the file and its directory, so that the write survives a power failure. */
  durable: boolean;
}

/**
 * Writes a file atomically, with mode 0600. When run by root, the file gets the owner of its directory.
 */
export const writeAtomically = async (
  path: string,
  text: string,
  { durable }: WriteOptions,
): Promise<void> => {
  const directory = dirname(path);
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      if (process.geteuid?.() === 0) {
        const { uid, gid } = await stat(directory);
        await file.chown(uid, gid);
      }
      await file.writeFile(text);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (durable) await syncDirectory(directory);
};

const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
