import { access, chmod, constants, lstat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { availableMemory, env, geteuid, platform } from "node:process";
import { getHomeFolder, resolveUserFolder } from "@mgmt/internal/files/user-folders";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { findReplacementRisk } from "@mgmt/internal/files/replacement-risk";
import { findOwnershipProblem } from "./safe-file.js";
import { isRunningAsRoot } from "./postgres-account.js";

const gibibyte = 1024 ** 3;

/** Returns the data directory to use when none is given: `mgmt` in the user's directory for application state. */
export const getDefaultDataDir = (): string =>
  platform === "darwin"
    ? join(getHomeFolder(), "Library", "Application Support", "mgmt")
    : join(resolveUserFolder(env["XDG_STATE_HOME"], ".local", "state"), "mgmt");

/** Returns a cache directory that only this user can read, or undefined when none can be created. */
export const ensurePrivateCacheDir = (): Promise<string | undefined> => {
  const defaultCacheDir =
    platform === "darwin"
      ? join(getHomeFolder(), "Library", "Caches", "mgmt")
      : join(resolveUserFolder(env["XDG_CACHE_HOME"], ".cache"), "mgmt");
  return createFirstSafeDirectory(
    [defaultCacheDir, join(tmpdir(), `mgmt-cache-${getCurrentUidOrZero()}`)],
    0o700,
  );
};

/** Returns a cache directory for programs: other accounts can read and execute its files, only this user can write them. */
export const ensureProgramCacheDir = (): Promise<string | undefined> => {
  if (!isRunningAsRoot()) return ensurePrivateCacheDir();
  const defaultCacheDir = platform === "darwin" ? "/Library/Caches/mgmt" : "/var/cache/mgmt";
  return createFirstSafeDirectory(
    [defaultCacheDir, join(tmpdir(), "mgmt-programs"), "/tmp/mgmt-programs"],
    0o755,
  );
};

const memoryDirectory = "/dev/shm";

/**
 * Returns the parent directory for ephemeral data directories. Postgres creates about 300 files per database, which is
 * much faster on a memory file system, so `/dev/shm` is used when this process may write there, it has enough free space, and
 * `TMPDIR` is not set.
 */
export const chooseEphemeralParent = async (directory = memoryDirectory): Promise<string> => {
  if (platform !== "linux" || env["TMPDIR"]) return tmpdir();
  try {
    await access(directory, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize >= 2 * gibibyte && availableMemory() >= 4 * gibibyte ? directory : tmpdir();
  } catch {
    return tmpdir();
  }
};

const getCurrentUidOrZero = (): number => geteuid?.() ?? 0;

const createFirstSafeDirectory = async (
  candidates: readonly string[],
  mode: number,
): Promise<string | undefined> => {
  for (const candidate of candidates) if (await createSafeDirectory(candidate, mode)) return candidate;
  return undefined;
};

/**
 * Creates a directory. Returns false for one that another user created first, which can happen in a shared parent such as `/tmp`, that
 * another user could have written to, or that another user could replace.
 */
const createSafeDirectory = async (directory: string, mode: number): Promise<boolean> => {
  try {
    if ((await findReplacementRisk(dirname(directory))) !== undefined) return false;
    createDirectory(directory, mode);
    const stats = await lstat(directory);
    if (!stats.isDirectory() || findOwnershipProblem(stats) !== undefined) return false;
    if ((stats.mode & 0o777) !== mode) await chmod(directory, mode);
    return true;
  } catch {
    return false;
  }
};
