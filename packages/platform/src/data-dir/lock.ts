import { randomBytes } from "node:crypto";
import { link, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { platformErrors, systemErrorCode } from "../errors/platform-error.js";
import { identityOf } from "./manifest.js";
import { readOwn } from "./own-file.js";
import { type ProcessIdentity, isAlive, ownIdentity } from "./process-identity.js";

export const lockName = "platform.lock";

/** Name of a file that identifies a process which takes the lock. */
const ownName = /^platform\.lock\.[0-9a-f]{12}$/;

/** Age in milliseconds after which a file without an owner belongs to a process that was killed while it wrote it. */
const writeLimit = 60_000;

/** Lets one platform at a time use a data directory. The lock of a process that has ended is stale and is replaced. */
export class DirectoryLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * Takes the lock.
   *
   * @throws PlatformError `platform:data_dir_in_use`, or a system error when the directory is not writable.
   */
  static async acquire(dataDir: string): Promise<DirectoryLock> {
    const path = join(dataDir, lockName);
    const own = `${path}.${randomBytes(6).toString("hex")}`;
    try {
      const directory = await identityOf(dataDir);
      const content = JSON.stringify({ ...(await ownIdentity()), directory });
      await writeFile(own, content, { flag: "wx", mode: 0o600 });
      while (!(await linkIfAbsent(own, path))) {
        const owner = await readOwner(path);
        if (owner !== undefined && (await isAlive(owner))) {
          throw owner.directory !== directory
            ? platformErrors.dataDirCopiedInUse(dataDir, owner.pid)
            : platformErrors.dataDirInUse(dataDir, owner.pid);
        }
        await removeStale(path, own);
      }
      await removeLeft(dataDir);
      return new DirectoryLock(path);
    } finally {
      await rm(own, { force: true });
    }
  }

  async release(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** Removes the files of processes that were killed while they took the lock. */
const removeLeft = async (dataDir: string): Promise<void> => {
  for (const name of await readdir(dataDir)) {
    if (ownName.test(name) && (await isLeft(join(dataDir, name)))) {
      await rm(join(dataDir, name), { force: true });
    }
  }
};

/** Tells whether the process that a file identifies has ended. A file without an identity may still be written. */
const isLeft = async (path: string): Promise<boolean> => {
  const owner = await readOwner(path);
  if (owner !== undefined) return !(await isAlive(owner));
  return Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity) > writeLimit;
};

/** Returns the holder of the lock; undefined when there is no lock or it is unreadable. */
export const lockOwner = (dataDir: string): Promise<Owner | undefined> => readOwner(join(dataDir, lockName));

/** The holder of a lock, and the identity of the directory that it locked. */
interface Owner extends ProcessIdentity {
  directory: number;
}

const readOwner = async (path: string): Promise<Owner | undefined> => {
  try {
    const value: unknown = JSON.parse(await readOwn(path));
    return isIdentity(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isIdentity = (value: unknown): value is Owner =>
  typeof value === "object" &&
  value !== null &&
  "pid" in value &&
  typeof value.pid === "number" &&
  "started" in value &&
  (typeof value.started === "string" || value.started === null) &&
  "directory" in value &&
  typeof value.directory === "number";

/** Creates `path` atomically with the content of `own`. Returns false when `path` exists. */
const linkIfAbsent = async (own: string, path: string): Promise<boolean> => {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw error;
  }
};

/**
 * Removes the lock at `path` if its process has ended. A second lock guards the removal, so that a lock that another
 * process has just taken is not removed. `own` is a file that identifies this process.
 */
export const removeStale = async (path: string, own: string): Promise<void> => {
  const removal = `${path}.removal`;
  if (!(await linkIfAbsent(own, removal))) {
    if (await isLeft(removal)) await rm(removal, { force: true });
    await sleep(5);
    return;
  }
  try {
    const owner = await readOwner(path);
    if (owner === undefined || !(await isAlive(owner))) await rm(path, { force: true });
  } finally {
    await rm(removal, { force: true });
  }
};
