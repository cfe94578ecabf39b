import { constants } from "node:fs";
import { type FileHandle, copyFile, open, rm } from "node:fs/promises";

const openFile = (path: string, flags: number): Promise<FileHandle> =>
  // Links are not followed, because another account could have created them.
  open(path, flags | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);

/** Opens the log to append to it. */
export const openLog = (path: string): Promise<FileHandle> =>
  openFile(path, constants.O_WRONLY | constants.O_APPEND);

/**
 * Moves the content of a log larger than `maxBytes` to `<path>.1`, replacing the previous content there. The file
 * itself stays, so that a running server continues to append to it.
 */
export const rotateLog = async (path: string, maxBytes: number): Promise<void> => {
  const log = await openFile(path, constants.O_RDWR);
  try {
    if ((await log.stat()).size <= maxBytes) return;
    const previous = `${path}.1`;
    await rm(previous, { force: true });
    await copyFile(path, previous, constants.COPYFILE_EXCL);
    await log.truncate(0);
  } finally {
    await log.close();
  }
};
