import { constants } from "node:fs";
import { type FileHandle, copyFile, rm } from "node:fs/promises";
import { hardLinkProblem, openOwn } from "../data-dir/own-file.js";
import { platformErrors } from "../platform-error.js";

/** Opens a log that belongs to this account, because another account could have linked it to a file elsewhere. */
const openFile = async (path: string, flags: number): Promise<FileHandle> => {
  const file = await openOwn(path, flags | constants.O_CREAT);
  const problem = hardLinkProblem(await file.stat());
  if (problem === undefined) return file;
  await file.close();
  throw platformErrors.dataDirUnsafe(path, problem);
};

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
