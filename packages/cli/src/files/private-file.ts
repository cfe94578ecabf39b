import { constants } from "node:fs";
import { open } from "node:fs/promises";

/**
 * Returns the key or secret in a file, without the white space around it. Returns undefined if there is none, or if anyone but
 * this user could have written or read the file.
 */
export const readPrivateFile = async (path: string): Promise<string | undefined> => {
  // A symbolic link is not followed, and opening a named pipe does not wait for its writer.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { uid, mode, size } = await handle.stat();
    const isPrivate = uid === process.geteuid?.() && (mode & 0o177) === 0;
    const isFile = (mode & constants.S_IFMT) === constants.S_IFREG;
    if (!isFile || !isPrivate || size > 1_024) return undefined;
    const key = (await handle.readFile("utf8")).trim();
    return /^[\w-]+$/.test(key) ? key : undefined;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
};
