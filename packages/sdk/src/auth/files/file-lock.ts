import { constants } from "node:fs";
import {
  access,
  copyFile,
  link,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileErrors, isReadOnly, systemCode } from "./file-errors.js";
import { type LockOwner, lifeOf, newOwner, parseOwner } from "./lock-owner.js";

/** How often a holder shows that it lives, in milliseconds. */
const beat = 1_000;
/** About how long a waiter waits between two looks, in milliseconds. */
const pause = 25;

export interface FileLockOptions {
  /** Ends the wait; the signal's own reason is thrown. */
  signal: AbortSignal;
  /** How long a holder may be silent that cannot be looked up, as a waiter counts its own waits. Default: 10,000. */
  silenceMs?: number | undefined;
}

/**
 * Runs `work` while no other process runs one with the same lock file, and answers what it does. Rejects with the signal's
 * reason when it is aborted before, and with `TokenStoreError` when the folder cannot be written.
 *
 * The file comes into being whole, by `link`, and says who holds it. A holder that was killed is noticed at once: its process
 * is gone, or is another one by now (by the system's start time). Where that cannot be told, on another machine that shares
 * the folder, the file's time shows that its holder lives; after 10 seconds without a change it is dead. A holder that lives
 * is never pushed aside on its own machine.
 *
 * A dead holder's lock is inherited, never deleted: whoever creates `<file>.<nonce of the dead>` is the heir, if the lock still
 * names the dead one afterwards. So two that find the same dead holder cannot both take its place, nor push aside its heir.
 *
 * In a folder that has become read-only meanwhile nobody gets the lock, and its holder cannot take it away: it writes into it
 * that it is done. Until then, those who cannot get it wait all the same, so that they find what the holder has left.
 */
export const withFileLock = async <T>(
  file: string,
  work: () => Promise<T>,
  { signal, silenceMs = 10_000 }: FileLockOptions,
): Promise<T> => {
  const me = await acquire(file, signal, silenceMs);
  const beating = setInterval(() => void touch(file), beat).unref();
  try {
    await removeLeft(file, me).catch(() => undefined);
    return await work();
  } finally {
    clearInterval(beating);
    await release(file, me);
  }
};

const ownFile = (file: string, { nonce }: LockOwner): string => `${file}.${nonce}.own`;
const heirFile = (file: string, { nonce }: LockOwner): string => `${file}.${nonce}`;

/** Who wants the lock, and how it is told when a holder is dead. */
interface Wait {
  file: string;
  me: LockOwner;
  signal: AbortSignal;
  isSilent: (holder: Holder) => boolean;
}

const acquire = async (file: string, signal: AbortSignal, silenceMs: number): Promise<LockOwner> => {
  signal.throwIfAborted();
  const me = await newOwner();
  const wait: Wait = { file, me, signal, isSilent: silenceWatch(silenceMs) };
  for (;;) {
    try {
      await enter(wait);
      return me;
    } catch (error) {
      const isOver = !isReadOnly(error) || !(await canGoOn(wait).catch(() => false));
      if (signal.aborted) throw signal.reason;
      if (isOver) throw fileErrors.unwritable(file, error);
    }
  }
};

const enter = async (wait: Wait): Promise<void> => {
  const { file, me } = wait;
  const own = ownFile(file, me);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(own, JSON.stringify(me), { flag: "wx", mode: 0o600 });
    await waitForTurn(wait);
  } finally {
    await rm(own, { force: true }).catch(() => undefined);
  }
};

const waitForTurn = async (wait: Wait): Promise<void> => {
  const { file, me } = wait;
  for (;;) {
    if (await createWhole(ownFile(file, me), file)) return;
    const chain = await holdersOf(file);
    const [holder, last] = [chain[0], chain.at(-1)];
    if (holder && last && (await isDead(last, wait))) {
      if (await inherit(file, me, holder.owner, last.owner)) return;
    }
    // A folder that has become read-only keeps the lock for ever.
    await access(dirname(file), constants.W_OK);
    await nextLook(wait);
  }
};

/** Nobody can take the lock now. True when that has changed, false when its holder is done, dead, or there is none. */
const canGoOn = async (wait: Wait): Promise<boolean> => {
  const { file } = wait;
  for (;;) {
    const last = (await holdersOf(file)).at(-1);
    if (!last || last.owner.isDone || (await isDead(last, wait))) return false;
    await nextLook(wait);
    const isWritable = await access(dirname(file), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) return true;
  }
};

const isDead = async (holder: Holder, { me, isSilent }: Wait): Promise<boolean> => {
  const life = await lifeOf(holder.owner, me);
  return life === "dead" || (life === "unknown" && isSilent(holder));
};

const nextLook = async ({ signal }: Wait): Promise<void> => {
  await delay(pause * (0.6 + 0.8 * Math.random()));
  signal.throwIfAborted();
};

/** Creates a file with the text of another, unless it is there already. */
const createWhole = async (source: string, file: string): Promise<boolean> => {
  try {
    await link(source, file);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") return false;
    if (code === "ENOENT" || code === "EROFS") throw error;
  }
  // Some file systems have no links.
  try {
    await copyFile(source, file, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
};

interface Holder {
  owner: LockOwner;
  path: string;
  /** When it last showed that it lives. */
  seen: number;
}

/** The holder that the lock names, its heir, the heir's heir …; the last one holds the lock, if it lives. */
const holdersOf = async (file: string): Promise<Holder[]> => {
  const holders: Holder[] = [];
  let path: string | undefined = file;
  while (path !== undefined) {
    const holder = await readHolder(path);
    if (holder) holders.push(holder);
    path = holder && heirFile(file, holder.owner);
  }
  return holders;
};

/** Where there are no links, a file may be read before it is written: then nobody is known to have it. */
const unknown: LockOwner = { nonce: "unknown", pid: 0, machine: "unknown", startedAt: undefined };

const readHolder = async (path: string): Promise<Holder | undefined> => {
  try {
    const [text, { mtimeMs }] = [await readFile(path, "utf8"), await stat(path)];
    return { owner: parseOwner(text) ?? unknown, path, seen: mtimeMs };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
};

/** Takes the place of the last holder, which is dead. False when somebody else was faster. */
const inherit = async (file: string, me: LockOwner, holder: LockOwner, last: LockOwner): Promise<boolean> => {
  const heir = heirFile(file, last);
  if (!(await createWhole(ownFile(file, me), heir))) return false;
  const current = await readHolder(file);
  if (current?.owner.nonce !== holder.nonce) {
    await rm(heir, { force: true });
    return false;
  }
  await rename(ownFile(file, me), file);
  return true;
};

/** What killed processes have left: the heirs of former holders, as the lock names its holder now, and dead waiters. */
const removeLeft = async (file: string, me: LockOwner): Promise<void> => {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(file)}.`)) continue;
    const path = join(folder, name);
    const waiter = name.endsWith(".own") ? await readHolder(path) : undefined;
    const isNeeded = waiter && (await lifeOf(waiter.owner, me)) !== "dead";
    if (!isNeeded) await rm(path, { force: true });
  }
};

/** Tells whether a holder has been silent for too long, counted in waits: a machine that sleeps wakes all at once. */
const silenceWatch = (silenceMs: number): ((holder: Holder) => boolean) => {
  let before: Holder | undefined;
  let waits = 0;
  return (holder) => {
    waits = before?.owner.nonce === holder.owner.nonce && before.seen === holder.seen ? waits + 1 : 0;
    before = holder;
    return waits * pause > silenceMs;
  };
};

const touch = async (file: string): Promise<void> => {
  const now = new Date();
  await utimes(file, now, now).catch(() => undefined);
};

/** Where the folder has become read-only meanwhile, it is tried again as long as this process lives. */
const release = async (file: string, me: LockOwner): Promise<void> => {
  try {
    const holder = await readHolder(file);
    if (holder?.owner.nonce === me.nonce) await unlink(file);
  } catch {
    await sayDone(file, me).catch(() => undefined);
    setTimeout(() => void release(file, me), beat).unref();
  }
};

/** Its own file can be written still: it has only grown from here. */
const sayDone = async (file: string, me: LockOwner): Promise<void> => {
  const handle = await open(file, "r+");
  try {
    await handle.write(JSON.stringify({ ...me, isDone: true }), 0);
  } finally {
    await handle.close();
  }
};
