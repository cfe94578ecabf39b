import { type Credential, isCredential } from "./credential.js";
import { authErrors } from "./errors.js";

/**
 * Keeps one credential. What a method throws reaches the caller of the SDK, so it must not hold a secret. A store that
 * several processes or tabs share must have `lock`; its `write` must be seen by the others whole or not at all.
 */
export interface TokenStore {
  /** Undefined when nobody is logged in. */
  read(): Promise<Credential | undefined>;
  /** Replaces what is there. */
  write(credential: Credential): Promise<void>;
  /** Forgets what is there, if anything. */
  clear(): Promise<void>;
  /** Throws when `write` would. Asked before a login begins and, without `reserve`, before a refresh token is used up. */
  probe?(): Promise<void>;
  /**
   * Makes sure of a place for the next credential, under the lock and before a refresh token is used up; throws when there is
   * none. For stores that can be forbidden to write at any time.
   */
  reserve?(): Promise<Reservation>;
  /**
   * Runs `work` while nobody else runs one for the same credential, in this process or another, and answers what it does.
   * Rejects when `signal` is aborted before its turn comes. Without it, work is done one after another in this process.
   */
  lock?<T>(work: () => Promise<T>, options: { signal: AbortSignal }): Promise<T>;
}

/** A place for the next credential. */
export interface Reservation {
  /** Keeps it, so that everybody reads it from now on, even if the store has become read-only since. */
  write(credential: Credential): Promise<void>;
  /** Called at last, whether or not anything was written. */
  release(): Promise<void>;
}

/** A store in this process's memory. It can be given a credential that was kept elsewhere. */
export const memoryStore = (credential?: Credential): TokenStore => {
  let kept = credential;
  return {
    read: async () => kept,
    write: async (next) => {
      kept = next;
    },
    clear: async () => {
      kept = undefined;
    },
  };
};

/** What the store holds. Throws `auth:store_corrupt` for what is no credential: not every store looks at what it reads. */
export const readStored = async (store: TokenStore): Promise<Credential | undefined> => {
  const stored: unknown = await store.read();
  if (stored === undefined || stored === null) return undefined;
  if (!isCredential(stored)) throw authErrors.corrupt("The store", "lacks what a credential has");
  return stored;
};

/** The store's own reservation; of one that has none, whether it could be written just now must do. */
export const reserve = async (store: TokenStore): Promise<Reservation> => {
  if (store.reserve) return store.reserve();
  await store.probe?.();
  return { write: (credential) => store.write(credential), release: async () => undefined };
};

const queues = new WeakMap<TokenStore, Promise<unknown>>();

/** Runs `work` alone on the store: under its own lock, or else one after another in this process. */
export const exclusively = async <T>(
  store: TokenStore,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => {
  if (store.lock) return store.lock(work, { signal });
  const turn = (queues.get(store) ?? Promise.resolve()).then(() => {
    signal.throwIfAborted();
    return work();
  });
  queues.set(
    store,
    turn.catch(() => undefined),
  );
  return turn;
};
