import { chmod, lstat, statfs } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { availableMemory, env, geteuid, platform } from "node:process";
import { makeDirectory } from "./make-directory.js";
import { isRoot } from "./postgres/account.js";

const gibibyte = 1024 ** 3;

/** Where state is kept between runs unless `dataDir` says otherwise. */
export const defaultDataDir = (): string =>
  platform === "darwin"
    ? join(homedir(), "Library", "Application Support", "mgmt")
    : join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "mgmt");

/** A directory for what may be made again, that nobody but us reads; undefined where there is none to be had. */
export const privateCacheDir = (): Promise<string | undefined> => {
  const usual =
    platform === "darwin"
      ? join(homedir(), "Library", "Caches", "mgmt")
      : join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "mgmt");
  return firstSafeDirectory([usual, join(tmpdir(), `mgmt-cache-${ownUid()}`)], 0o700);
};

/** The same for programs that another account must be able to run, and nobody but us to change. */
export const programCacheDir = (): Promise<string | undefined> => {
  if (!isRoot()) return privateCacheDir();
  const usual = platform === "darwin" ? "/Library/Caches/mgmt" : "/var/cache/mgmt";
  return firstSafeDirectory([usual, join(tmpdir(), "mgmt-programs"), "/tmp/mgmt-programs"], 0o755);
};

/**
 * Where the data of an ephemeral platform lies. Postgres makes three hundred files for a database; memory takes them
 * many times faster than some disks, so a memory file system with room to spare is preferred to the default directory.
 */
export const ephemeralBase = async (): Promise<string> => {
  const memory = "/dev/shm";
  if (platform !== "linux" || env["TMPDIR"]) return tmpdir();
  try {
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize >= 2 * gibibyte && availableMemory() >= 4 * gibibyte ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
};

const ownUid = (): number => geteuid?.() ?? 0;

const firstSafeDirectory = async (
  candidates: readonly string[],
  mode: number,
): Promise<string | undefined> => {
  for (const candidate of candidates) if (await makeSafe(candidate, mode)) return candidate;
  return undefined;
};

/** In a shared place somebody else may have made the directory before us; then it is not ours to trust. */
const makeSafe = async (directory: string, mode: number): Promise<boolean> => {
  try {
    await makeDirectory(directory, mode);
    const found = await lstat(directory);
    if (!found.isDirectory() || found.uid !== ownUid()) return false;
    if ((found.mode & 0o777) !== mode) await chmod(directory, mode);
    return true;
  } catch {
    return false;
  }
};
