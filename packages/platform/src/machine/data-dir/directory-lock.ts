import { randomBytes } from "node:crypto";
import { link, open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { syncFile } from "@mgmt/internal/files/sync-file";
import {
  type ProcessLiveness,
  type ProcessIdentity,
  determineLiveness,
  parseIdentity,
} from "@mgmt/internal/processes/process-liveness";
import { createProcessViewWithPs } from "@mgmt/internal/processes/ps-processes";
import { platformErrors } from "../../errors/platform-error.js";
import { LockPipe, isOnKnownLocalFileSystem, readPipeHolderLiveness } from "./lock-pipe.js";
import { readDirectoryInode } from "./manifest.js";
import { readOwnedFile } from "./safe-file.js";

/** The file in a data directory that names the process which uses the directory. */
export const lockFileName = "platform.lock";

/** Name of a file that identifies a process which takes the lock. */
const claimFilePattern = /^platform\.lock\.[0-9a-f]{12}$/;

/** Name of the pipe of such a process. */
export const pipeFilePattern = /^platform\.lock\.[0-9a-f]{12}\.pipe$/;

/** Age in milliseconds after which a file without an owner belongs to a process that was killed while it wrote it. */
const lockFileAbandonedAfterMs = 60_000;

/** The content of a lock: who holds it, and the identity of the directory that it locked. */
interface LockContent extends ProcessIdentity {
  directory: number;
  /** Part of the names of the files of this process. */
  id: string;
  /** Whether no other system can use the directory, as this process saw it. */
  isLocal: boolean;
}

/**
 * Lets one platform at a time use a data directory. The lock of a process that has exited is stale and is replaced. Unlike a lease, such as
 * `withFileLock` of the SDK, it does not expire: two processes would destroy the data.
 */
export class DirectoryLock {
  readonly #path: string;
  readonly #pipe: LockPipe | undefined;

  private constructor(path: string, pipe: LockPipe | undefined) {
    this.#path = path;
    this.#pipe = pipe;
  }

  /**
   * Takes the lock.
   *
   * @throws PlatformError `platform:data_dir_in_use`, also when it cannot be known whether the holder of the lock has exited; a system
   * error when the directory is not writable.
   */
  static async acquire(dataDir: string): Promise<DirectoryLock> {
    const path = join(dataDir, lockFileName);
    const id = randomBytes(6).toString("hex");
    const claimPath = `${path}.${id}`;
    const pipe = await LockPipe.create(getPipePath(path, id));
    try {
      const { self: ownProcess } = createProcessViewWithPs();
      const location = {
        directory: await readDirectoryInode(dataDir),
        isLocal: await isOnKnownLocalFileSystem(dataDir),
      };
      await createDurableFile(
        claimPath,
        JSON.stringify({ ...ownProcess, ...location, id } satisfies LockContent),
      );
      while (!(await linkIfAbsent(claimPath, path))) {
        await rejectWhileHolderRuns(path);
        await removeStaleLock(path, claimPath);
      }
      await removeAbandonedLockFiles(dataDir);
      return new DirectoryLock(path, pipe);
    } catch (error) {
      await pipe?.closeAndRemove();
      throw error;
    } finally {
      await rm(claimPath, { force: true });
    }
  }

  /** A descriptor that each program inherits which uses the directory: the lock is held until the last of them has exited. */
  get descriptor(): number | undefined {
    return this.#pipe?.descriptor;
  }

  async release(): Promise<void> {
    await rm(this.#path, { force: true });
    await this.#pipe?.closeAndRemove();
  }
}

const getPipePath = (path: string, id: string): string => `${path}.${id}.pipe`;

/** Writes a file that survives a power failure. An empty lock could belong to any process. */
const createDurableFile = async (path: string, text: string): Promise<void> => {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await syncFile(file);
  } finally {
    await file.close();
  }
};

/** Throws `platform:data_dir_in_use` unless the holder of the lock at `path` is known to have exited. */
const rejectWhileHolderRuns = async (path: string): Promise<void> => {
  const lockState = await readLockState(path);
  if (lockState === undefined || lockState.liveness === "dead") return;
  const { owner, liveness } = lockState;
  const dataDir = dirname(path);
  if (liveness === "unknown") throw platformErrors.dataDirMayBeInUse(dataDir, path);
  if (determineLiveness(owner, createProcessViewWithPs()) !== "alive") {
    throw platformErrors.dataDirInUseElsewhere(dataDir);
  }
  throw owner.directory !== (await readDirectoryInode(dataDir))
    ? platformErrors.dataDirCopiedInUse(dataDir, owner.pid)
    : platformErrors.dataDirInUse(dataDir, owner.pid);
};

/** Removes the files of processes that were killed while they took the lock. */
const removeAbandonedLockFiles = async (dataDir: string): Promise<void> => {
  for (const name of await readdir(dataDir)) {
    const path = join(dataDir, name);
    const isAbandoned = pipeFilePattern.test(name)
      ? isAbandonedFile
      : claimFilePattern.test(name)
        ? hasOwnerExited
        : undefined;
    if (await isAbandoned?.(path)) await rm(path, { force: true });
  }
};

/** Returns whether the process that a file identifies has exited. A file without an identity may still be written. */
const hasOwnerExited = async (path: string): Promise<boolean> => {
  const lockState = await readLockState(path);
  return lockState?.owner === undefined ? isAbandonedFile(path) : lockState.liveness === "dead";
};

const isAbandonedFile = async (path: string): Promise<boolean> =>
  Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity) > lockFileAbandonedAfterMs;

/** A lock, and the state of its holder. The holder of a lock that cannot be read is unknown. */
type LockState =
  | { owner: LockContent; liveness: ProcessLiveness }
  | { owner: undefined; liveness: "unknown" };

/** Returns the liveness of the process that uses a data directory; undefined when the directory has no lock. */
export const readHolderLiveness = async (dataDir: string): Promise<ProcessLiveness | undefined> =>
  (await readLockState(join(dataDir, lockFileName)))?.liveness;

const readLockState = async (path: string): Promise<LockState | undefined> => {
  try {
    const owner = parseLockContent(JSON.parse(await readOwnedFile(path)));
    if (owner !== undefined) return { owner, liveness: await determineLockLiveness(dirname(path), owner) };
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return undefined;
  }
  return { owner: undefined, liveness: "unknown" };
};

const determineLockLiveness = async (dataDir: string, lockContent: LockContent): Promise<ProcessLiveness> => {
  const liveness = determineLiveness(lockContent, createProcessViewWithPs());
  if (liveness !== "unknown") return liveness;
  // Another system does not know who has opened a pipe in this one.
  if (!lockContent.isLocal || !(await isOnKnownLocalFileSystem(dataDir))) return "unknown";
  const pipeLiveness = readPipeHolderLiveness(getPipePath(join(dataDir, lockFileName), lockContent.id));
  // In a copy, from which pipes are often missing, no process holds the lock.
  return pipeLiveness === "unknown" && lockContent.directory !== (await readDirectoryInode(dataDir))
    ? "dead"
    : pipeLiveness;
};

const parseLockContent = (value: unknown): LockContent | undefined => {
  const identity = parseIdentity(value);
  if (identity === undefined) return undefined;
  // Each field is checked.
  const { directory, id, isLocal } = value as Partial<Record<string, unknown>>;
  return typeof directory === "number" &&
    typeof id === "string" &&
    /^[0-9a-f]{12}$/.test(id) &&
    typeof isLocal === "boolean"
    ? { ...identity, directory, id, isLocal }
    : undefined;
};

/** Creates `path` atomically as a link to `claimPath`. Returns false when `path` exists. */
const linkIfAbsent = async (claimPath: string, path: string): Promise<boolean> => {
  try {
    await link(claimPath, path);
    return true;
  } catch (error) {
    if (readErrorCode(error) === "EEXIST") return false;
    throw error;
  }
};

/**
 * Removes the lock at `path` if its process is known to have exited. A second lock guards the removal, so that a lock that another process
 * has just taken is not removed. `claimPath` is a file that identifies this process.
 */
export const removeStaleLock = async (path: string, claimPath: string): Promise<void> => {
  const removalLockPath = `${path}.removal`;
  if (!(await linkIfAbsent(claimPath, removalLockPath))) {
    const removalLockState = await readLockState(removalLockPath);
    if (removalLockState?.liveness === "unknown")
      throw platformErrors.dataDirMayBeInUse(dirname(path), removalLockPath);
    if (removalLockState?.liveness === "dead") await rm(removalLockPath, { force: true });
    await sleep(5);
    return;
  }
  try {
    const lockState = await readLockState(path);
    if (lockState?.liveness !== "dead") return;
    await rm(path, { force: true });
    await rm(getPipePath(path, lockState.owner.id), { force: true });
  } finally {
    await rm(removalLockPath, { force: true });
  }
};
