import { type FileHandle, open, rename, rm } from "node:fs/promises";

/** Writes a new file under a temporary name, with mode 0600, and renames it to `path`. Leaves no file when it fails. */
export const replaceAtomically = async (
  path: string,
  temporaryPath: string,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> => {
  try {
    const file = await open(temporaryPath, "wx", 0o600);
    try {
      await write(file);
    } finally {
      await file.close();
    }
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    throw error;
  }
};
