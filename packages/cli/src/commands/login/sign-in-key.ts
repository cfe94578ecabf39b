import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isRunning, isSameAddress } from "../../profiles/profile.js";
import { readProfiles } from "../../profiles/read-profiles.js";

/**
 * Returns the sign-in key of the `mgmt dev` that this user runs at the address, as its profile says where it is. Returns
 * undefined if there is none, or if its file could have been written or read by anybody else.
 *
 * @param file the profiles file.
 */
export const findSignInKey = async (file: string, authUrl: string): Promise<string | undefined> => {
  const service = Object.values(readProfiles(file).profiles).find(
    (profile) => isRunning(profile) && isSameAddress(profile.authUrl ?? profile.baseUrl, authUrl),
  );
  return service?.signInKeyFile === undefined ? undefined : readPrivateKey(service.signInKeyFile);
};

const readPrivateKey = async (path: string): Promise<string | undefined> => {
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

/** Returns an address that also sends the key. A fragment is not part of requests or referrers. */
export const withSignInKey = (url: string, key: string | undefined): string =>
  key === undefined ? url : `${url}#signInKey=${key}`;
