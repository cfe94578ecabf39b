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
import { errorCode } from "@mgmt/internal/errors/error-code";
import { InvalidArgumentError } from "../../errors/local-errors.js";
import { fileErrors, isReadOnly } from "./file-errors.js";
import { type LockOwner, newOwner, parseOwner } from "./lock-owner.js";
import { knownProcesses, lifeOf } from "@mgmt/internal/processes/process-life";
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
 * Runs `work` while no other process runs work with the same lock file, and returns its result. Rejects with the reason
 * of the signal if it is aborted before the lock is acquired, and with `TokenStoreError` if the folder cannot be
 * written. Rejects with `InvalidArgumentError` for an option that does not exist or has another type.
 *
 * The lock file is created atomically with `link` and names its holder. A holder that was killed is detected at once:
 * its process no longer exists, or its pid belongs to a process with another start time. If the process cannot be
 * checked, as in another container or on another machine that shares the folder, the modification time of the file is the
 * heartbeat; after 10 seconds without a change the holder is considered dead. A live holder whose process can be checked never
 * loses the lock.
 *
 * The lock is for work that takes seconds and that another process may repeat, such as a refresh or a change of a small file: a lock that a
 * killed container leaves must not need a person to remove it. A holder that was suspended for longer may therefore run at the same time as
 * its heir, so work that replaces a file does so atomically. For work that two processes would destroy, such as the data of a database, a
 * holder that cannot be checked must be refused instead.
 *
 * The lock of a dead holder is inherited, never deleted: the process that creates `<file>.<nonce of the dead holder>`
 * is the successor, if the lock still names the dead holder afterwards. Two processes that find the same dead holder
 * therefore cannot both replace it, nor replace its successor.
 *
 * If the folder becomes read-only, no process can acquire the lock, and the holder cannot remove it. The holder then marks the lock file as
 * done. Until then, waiters keep waiting, so that they can read the value that the holder stored.
 */
export const withFileLock = async <T>(
  file: string,
  work: () => Promise<T>,
  options: FileLockOptions,
): Promise<T> => {
  assertOptions(options, "withFileLock", () => InvalidArgumentError);
  const { signal, silenceMs = 10_000 } = options;
  const me = await acquire(file, signal, silenceMs);
  const heartbeat = setInterval(() => void touch(file), heartbeatMs).unref();
  try {
    await removeLeftovers(file).catch(() => undefined);
    return await work();
  } finally {
    clearInterval(heartbeat);
    await release(file, me);
  }
};

const ownFile = (file: string, { nonce }: LockOwner): string => `${file}.${nonce}.own`;
const successorFile = (file: string, { nonce }: LockOwner): string => `${file}.${nonce}`;

/** A process that waits for the lock, and its test for dead holders. */
interface Wait {
  file: string;
  me: LockOwner;
  signal: AbortSignal;
  isSilent: (holder: Holder) => boolean;
}

const acquire = async (file: string, signal: AbortSignal, silenceMs: number): Promise<LockOwner> => {
  signal.throwIfAborted();
  const me = newOwner();
  const wait: Wait = { file, me, signal, isSilent: heartbeatWatch(silenceMs) };
  let isLastAttempt = false;
  for (;;) {
    try {
      await enqueue(wait);
      return me;
    } catch (error) {
      const isWritable = isReadOnly(error) && (await waitUntilWritable(wait).catch(() => false));
      signal.throwIfAborted();
      if (!isWritable && (!isReadOnly(error) || isLastAttempt)) throw fileErrors.unwritable(file, error);
      // Without a holder, the folder may have become writable since the attempt, and the holder may have released the lock.
      isLastAttempt = !isWritable;
    }
  }
};

const enqueue = async (wait: Wait): Promise<void> => {
  const { file, me } = wait;
  const own = ownFile(file, me);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // An earlier attempt could not remove it if the folder had become read-only.
    await rm(own, { force: true });
    await writeFile(own, JSON.stringify(me), { flag: "wx", mode: 0o600 });
    await waitForTurn(wait);
  } finally {
    await rm(own, { force: true }).catch(() => undefined);
  }
};

const waitForTurn = async (wait: Wait): Promise<void> => {
  const { file, me } = wait;
  for (;;) {
    if (await copyAtomically(ownFile(file, me), file)) return;
    const chain = await holdersOf(file);
    const [holder, last] = [chain[0], chain.at(-1)];
    if (holder && last && isDead(last, wait)) {
      if (await takeOver(file, me, holder.owner, last.owner)) return;
    }
    // In a folder that has become read-only, the lock is never removed.
    await access(dirname(file), constants.W_OK);
    await nextPoll(wait);
  }
};

/**
 * Waits while the folder is read-only. Returns true once it is writable, false once the holder is done, dead or
 * missing.
 */
const waitUntilWritable = async (wait: Wait): Promise<boolean> => {
  const { file } = wait;
  for (;;) {
    const last = (await holdersOf(file)).at(-1);
    if (!last || last.owner.isDone || isDead(last, wait)) return false;
    await nextPoll(wait);
    const isWritable = await access(dirname(file), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) return true;
  }
};

const isDead = (holder: Holder, { isSilent }: Wait): boolean => {
  const life = lifeOf(holder.owner, knownProcesses());
  return life === "dead" || (life === "unknown" && isSilent(holder));
};

const nextPoll = async ({ signal }: Wait): Promise<void> => {
  await delay(pollMs * (0.6 + 0.8 * Math.random()));
  signal.throwIfAborted();
};

/** Creates a file atomically with the content of another. Returns false if the file already exists. */
const copyAtomically = async (source: string, file: string): Promise<boolean> => {
  try {
    await link(source, file);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code === "ENOENT" || code === "EROFS") throw error;
  }
  // Some file systems do not support links.
  try {
    await copyFile(source, file, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
};

interface Holder {
  owner: LockOwner;
  path: string;
  /** Time of the last heartbeat, in milliseconds since the Unix epoch. */
  heartbeatAt: number;
}

/**
 * Returns the holder that the lock names, its successor, the successor's successor and so on. The last one holds the lock if it is
 * alive. Ends before a holder that was named already: files made by another program could form a circle.
 */
const holdersOf = async (file: string): Promise<Holder[]> => {
  const holders: Holder[] = [];
  let path = file;
  for (;;) {
    const holder = await readHolder(path);
    if (!holder || holders.some(({ owner }) => owner.nonce === holder.owner.nonce)) break;
    holders.push(holder);
    path = successorFile(file, holder.owner);
  }
  return holders;
};

/** Stands in for an owner that cannot be parsed: without links, a lock file can be read before it is fully written. */
const unknown: LockOwner = { nonce: "unknown", pid: 0, started: null, place: null, machine: null };

const readHolder = async (path: string): Promise<Holder | undefined> => {
  try {
    const handle = await open(path, readFlags);
    try {
      const stats = await handle.stat();
      // Reading a named pipe would wait for a writer.
      const text = stats.isFIFO() ? "" : await handle.readFile("utf8");
      return { owner: parseOwner(text) ?? unknown, path, heartbeatAt: stats.mtimeMs };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
};

/** No lock is a symbolic link, and opening a named pipe would wait for a writer. Windows has neither flag. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
const readFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Replaces the last holder, which is dead. Returns false if another process replaced it first. */
const takeOver = async (
  file: string,
  me: LockOwner,
  holder: LockOwner,
  last: LockOwner,
): Promise<boolean> => {
  const successor = successorFile(file, last);
  if (!(await copyAtomically(ownFile(file, me), successor))) return false;
  const current = await readHolder(file);
  if (current?.owner.nonce !== holder.nonce) {
    await rm(successor, { force: true });
    return false;
  }
  await rename(ownFile(file, me), file);
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
      if (!waiter || lifeOf(waiter.owner, knownProcesses()) !== "dead") continue;
    }
    await rm(path, { force: true });
  }
};

/**
 * Returns a function that reports whether a holder has missed heartbeats for too long. Counts polls instead of time,
 * because all processes of a suspended machine resume at once.
 */
const heartbeatWatch = (silenceMs: number): ((holder: Holder) => boolean) => {
  let before: Holder | undefined;
  let waits = 0;
  return (holder) => {
    waits =
      before?.owner.nonce === holder.owner.nonce && before.heartbeatAt === holder.heartbeatAt ? waits + 1 : 0;
    before = holder;
    return waits * pollMs > silenceMs;
  };
};

const touch = async (file: string): Promise<void> => {
  const now = new Date();
  await utimes(file, now, now).catch(() => undefined);
};

/** Releases the lock. In a folder that has become read-only, retries for the lifetime of this process. */
const release = async (file: string, me: LockOwner): Promise<void> => {
  try {
    const holder = await readHolder(file);
    if (holder?.owner.nonce === me.nonce) await unlink(file);
  } catch {
    await markDone(file, me).catch(() => undefined);
    setTimeout(() => void release(file, me), heartbeatMs).unref();
  }
};

/**
 * Marks the lock file as done. The file stays writable in a read-only folder, and the new text is longer than the old,
 * so it overwrites all of it.
 */
const markDone = async (file: string, me: LockOwner): Promise<void> => {
  const handle = await open(file, "r+");
  try {
    await handle.write(JSON.stringify({ ...me, isDone: true }), 0);
  } finally {
    await handle.close();
  }
};
