import { constants } from "node:fs";
import {
  access,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { InvalidArgumentError } from "../../errors/local-errors.js";
import { fileErrors, isReadOnlyError } from "./file-errors.js";
import { type LockOwner, createLockOwner, parseLockOwner } from "./lock-owner.js";
import { createProcessView, determineLiveness } from "@mgmt/internal/processes/process-liveness";
import { assertOptions } from "#type-checks";

/** Interval between heartbeats of a lock holder, in milliseconds. */
const heartbeatMs = 1_000;
/** Average interval between polls of a waiter, in milliseconds. */
const pollMs = 25;

export interface FileLockOptions {
  /** Cancels the wait, which then throws the reason of the signal. */
  signal: AbortSignal;
  /**
   * How long a holder may miss heartbeats before it is considered dead, in milliseconds of the waiter's own polls.
   * Applies only to holders whose process cannot be checked. Default: 10,000.
   */
  silenceMs?: number | undefined;
}

/**
 * Runs `callback` while no other process runs work with the same lock file, and returns its result. Rejects with the reason
 * of the signal if it is aborted before the lock is acquired, and with `TokenStoreError` if the folder cannot be
 * written. Rejects with `InvalidArgumentError` for an option that does not exist or has another type.
 *
 * The lock file is created atomically with `link` and names its holder. A holder that was killed is detected immediately:
 * its process no longer exists, or its pid belongs to a process with another start time. If the process cannot be
 * checked, as in another container or on another machine that shares the folder, the modification time of the file is the
 * heartbeat; after 10 seconds without a change the holder is considered dead. A live holder whose process can be checked never
 * loses the lock.
 *
 * The lock is for work that takes seconds and that another process may repeat, such as a refresh or a change of a small file: a lock that a
 * killed container leaves must not need a person to remove it. A holder that was suspended for longer may therefore run at the same time as
 * its successor, so work that replaces a file does so atomically. For work that two processes would destroy, such as the data of a database, a
 * holder that cannot be checked must be rejected instead.
 *
 * The lock of a dead holder is inherited, never deleted: the process that creates `<file>.<nonce of the dead holder>`
 * is the successor, if the lock still names the dead holder afterwards. Two processes that find the same dead holder
 * therefore cannot both replace it, nor replace its successor.
 *
 * If the folder becomes read-only, no process can acquire the lock, and the holder cannot remove it. The holder then marks the lock file as
 * done. Until then, waiters keep waiting, so that they can read the value that the holder stored.
 */
export const withFileLock = async <T>(
  path: string,
  callback: () => Promise<T>,
  options: FileLockOptions,
): Promise<T> => {
  assertOptions(options, "withFileLock", () => InvalidArgumentError);
  const { signal, silenceMs = 10_000 } = options;
  const owner = await acquireLock(path, signal, silenceMs);
  const heartbeat = setInterval(() => void updateHeartbeat(path), heartbeatMs).unref();
  try {
    await removeLeftovers(path).catch(() => undefined);
    return await callback();
  } finally {
    clearInterval(heartbeat);
    await releaseLock(path, owner);
  }
};

const getWaiterPath = (path: string, { nonce }: LockOwner): string => `${path}.${nonce}.own`;
const getSuccessorPath = (path: string, { nonce }: LockOwner): string => `${path}.${nonce}`;

/** A process that waits for the lock, and its test for dead holders. */
interface LockWait {
  file: string;
  owner: LockOwner;
  signal: AbortSignal;
  isSilent: (holder: LockHolder) => boolean;
}

const acquireLock = async (path: string, signal: AbortSignal, silenceMs: number): Promise<LockOwner> => {
  signal.throwIfAborted();
  const owner = createLockOwner();
  const wait: LockWait = { file: path, owner, signal, isSilent: createSilenceCheck(silenceMs) };
  let isLastAttempt = false;
  for (;;) {
    try {
      await waitInQueue(wait);
      return owner;
    } catch (error) {
      const isWritable = isReadOnlyError(error) && (await waitUntilWritable(wait).catch(() => false));
      signal.throwIfAborted();
      if (!isWritable && (!isReadOnlyError(error) || isLastAttempt)) throw fileErrors.unwritable(path, error);
      // Without a holder, the folder may have become writable since the attempt, and the holder may have released the lock.
      isLastAttempt = !isWritable;
    }
  }
};

const waitInQueue = async (wait: LockWait): Promise<void> => {
  const { file, owner } = wait;
  const ownWaiterPath = getWaiterPath(file, owner);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // An earlier attempt could not remove it if the folder had become read-only.
    await rm(ownWaiterPath, { force: true });
    await writeFile(ownWaiterPath, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
    await waitForTurn(wait);
  } finally {
    await rm(ownWaiterPath, { force: true }).catch(() => undefined);
  }
};

const waitForTurn = async (wait: LockWait): Promise<void> => {
  const { file, owner } = wait;
  for (;;) {
    if (await copyAtomically(getWaiterPath(file, owner), file)) return;
    const holderChain = await readHolderChain(file);
    const [holder, lastHolder] = [holderChain[0], holderChain.at(-1)];
    if (holder && lastHolder && isHolderDead(lastHolder, wait)) {
      if (await takeOverLock(file, owner, holder.owner, lastHolder.owner)) return;
    }
    // In a folder that has become read-only, the lock is never removed.
    await access(dirname(file), constants.W_OK);
    await waitForNextPoll(wait);
  }
};

/**
 * Waits while the folder is read-only. Returns true once it is writable, false once the holder is done, dead or
 * missing.
 */
const waitUntilWritable = async (wait: LockWait): Promise<boolean> => {
  const { file } = wait;
  for (;;) {
    const lastHolder = (await readHolderChain(file)).at(-1);
    if (!lastHolder || lastHolder.owner.isDone || isHolderDead(lastHolder, wait)) return false;
    await waitForNextPoll(wait);
    const isWritable = await access(dirname(file), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) return true;
  }
};

const isHolderDead = (holder: LockHolder, { isSilent }: LockWait): boolean => {
  const liveness = determineLiveness(holder.owner, createProcessView());
  return liveness === "dead" || (liveness === "unknown" && isSilent(holder));
};

const waitForNextPoll = async ({ signal }: LockWait): Promise<void> => {
  await delay(pollMs * (0.6 + 0.8 * Math.random()));
  signal.throwIfAborted();
};

/** Creates a file atomically with the content of another. Returns false if the file already exists. */
const copyAtomically = async (source: string, path: string): Promise<boolean> => {
  try {
    await link(source, path);
    return true;
  } catch (error) {
    const code = readErrorCode(error);
    if (code === "EEXIST") return false;
    if (code === "ENOENT" || code === "EROFS") throw error;
  }
  // Some file systems do not support links.
  try {
    await copyFile(source, path, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (readErrorCode(error) === "EEXIST") return false;
    throw error;
  }
};

interface LockHolder {
  owner: LockOwner;
  path: string;
  /** Time of the last heartbeat, in milliseconds since the Unix epoch. */
  heartbeatAt: number;
}

/**
 * Returns the holder that the lock names, its successor, the successor's successor and so on. The last one holds the lock if it is
 * alive. Ends before a holder that was named already: files made by another program could form a circle.
 */
const readHolderChain = async (file: string): Promise<LockHolder[]> => {
  const holders: LockHolder[] = [];
  let path = file;
  for (;;) {
    const holder = await readHolder(path);
    if (!holder || holders.some(({ owner }) => owner.nonce === holder.owner.nonce)) break;
    holders.push(holder);
    path = getSuccessorPath(file, holder.owner);
  }
  return holders;
};

/** Stands in for an owner that cannot be parsed: without links, a lock file can be read before it is fully written. */
const unknownOwner: LockOwner = { nonce: "unknown", pid: 0, started: null, place: null, machine: null };

const readHolder = async (path: string): Promise<LockHolder | undefined> => {
  try {
    const handle = await open(path, readFlags);
    try {
      const stats = await handle.stat();
      // Reading a named pipe would wait for a writer.
      const ownerJson = stats.isFIFO() ? "" : await handle.readFile("utf8");
      return { owner: parseLockOwner(ownerJson) ?? unknownOwner, path, heartbeatAt: stats.mtimeMs };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
};

/** No lock is a symbolic link, and opening a named pipe would wait for a writer. Windows has neither flag. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
const readFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Replaces the last holder, which is dead. Returns false if another process replaced it first. */
const takeOverLock = async (
  path: string,
  owner: LockOwner,
  holder: LockOwner,
  lastOwner: LockOwner,
): Promise<boolean> => {
  const successorPath = getSuccessorPath(path, lastOwner);
  if (!(await copyAtomically(getWaiterPath(path, owner), successorPath))) return false;
  const currentHolder = await readHolder(path);
  if (currentHolder?.owner.nonce !== holder.nonce) {
    await rm(successorPath, { force: true });
    return false;
  }
  await rename(getWaiterPath(path, owner), path);
  return true;
};

/**
 * Removes files of killed processes: successors of former holders, since the lock now names its holder, and dead waiters.
 */
const removeLeftovers = async (file: string): Promise<void> => {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(file)}.`)) continue;
    const path = join(folder, name);
    if (name.endsWith(".own")) {
      // If the file is missing now, its process may be about to create it again.
      const waiter = await readHolder(path);
      if (!waiter || determineLiveness(waiter.owner, createProcessView()) !== "dead") continue;
    }
    await rm(path, { force: true });
  }
};

/**
 * Returns a function that reports whether a holder has missed heartbeats for too long. Counts polls instead of time, because all processes
 * of a suspended machine resume simultaneously.
 */
const createSilenceCheck = (silenceMs: number): ((holder: LockHolder) => boolean) => {
  let previousHolder: LockHolder | undefined;
  let silentPollCount = 0;
  return (holder) => {
    silentPollCount =
      previousHolder?.owner.nonce === holder.owner.nonce && previousHolder.heartbeatAt === holder.heartbeatAt
        ? silentPollCount + 1
        : 0;
    previousHolder = holder;
    return silentPollCount * pollMs > silenceMs;
  };
};

const updateHeartbeat = async (path: string): Promise<void> => {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
};

/** Releases the lock. In a folder that has become read-only, retries for the lifetime of this process. */
const releaseLock = async (path: string, owner: LockOwner): Promise<void> => {
  try {
    const holder = await readHolder(path);
    if (holder?.owner.nonce === owner.nonce) await unlink(path);
  } catch {
    await markLockDone(path, owner).catch(() => undefined);
    setTimeout(() => void releaseLock(path, owner), heartbeatMs).unref();
  }
};

/**
 * Marks the lock file as done. The file stays writable in a read-only folder, and the new text is longer than the old,
 * so it overwrites all of it.
 */
const markLockDone = async (path: string, owner: LockOwner): Promise<void> => {
  const handle = await open(path, "r+");
  try {
    await handle.write(JSON.stringify({ ...owner, isDone: true }), 0);
  } finally {
    await handle.close();
  }
};
