import { type Credential, isCredential } from "./credential.js";
import { authErrors } from "./errors.js";

/**
 * Stores one credential. Errors thrown by a store reach the caller of the SDK, so they must not contain secrets. A
 * store that several processes or tabs share must implement `lock`, and its `write` must be atomic.
 */
export interface TokenStore {
  /** Returns the credential, or `undefined` if no one is logged in. */
  read(): Promise<Credential | undefined>;
  /** Replaces the credential. */
  write(credential: Credential): Promise<void>;
  /** Removes the credential, if any. */
  clear(): Promise<void>;
  /**
   * Returns whether another user has changed the store since it was last read or written, which must be quick: it is called before each
   * use of a credential. Without this method, the change is noticed at the next refresh and after a 401.
   */
  hasChanged?(): boolean;
  /** Throws if `write` would. Called before a login starts and, without `reserve`, before a refresh token is used. */
  probe?(): Promise<void>;
  /**
   * Reserves space for the next credential; throws if that is not possible. Called under the lock, before a refresh
   * token is used. Implement it if the store can become read-only at any time.
   */
  reserve?(): Promise<Reservation>;
  /**
   * Runs `callback` while no other work runs for the same credential, in this process or another, and returns its result.
   * Rejects if `signal` is aborted before `callback` starts. Without this method, work is serialized within this process.
   */
  lock?<T>(callback: () => Promise<T>, options: { signal: AbortSignal }): Promise<T>;
}

/** Space reserved for the next credential. */
export interface Reservation {
  /** Stores the credential so that all processes read it, even if the store has become read-only since. */
  write(credential: Credential): Promise<void>;
  /** Releases the reservation. Always called last, whether or not anything was written. */
  release(): Promise<void>;
}

/** Creates a store in the memory of this process, optionally with an initial credential. */
export const memoryStore = (credential?: Credential): TokenStore => {
  let currentCredential = credential;
  return {
    read: async () => currentCredential,
    write: async (newCredential) => {
      currentCredential = newCredential;
    },
    clear: async () => {
      currentCredential = undefined;
    },
  };
};

/**
 * Reads and validates the stored credential, since not every store does. Throws `auth:store_corrupt` if it is invalid.
 */
export const readStoredCredential = async (store: TokenStore): Promise<Credential | undefined> => {
  const storedValue: unknown = await store.read();
  if (storedValue === undefined || storedValue === null) return undefined;
  if (!isCredential(storedValue)) throw authErrors.corruptStore("The store", "lacks required fields");
  return storedValue;
};

/** Reserves space in the store. Without `reserve`, only checks that the store can be written now. */
export const reserveSpace = async (store: TokenStore): Promise<Reservation> => {
  if (store.reserve) return store.reserve();
  await store.probe?.();
  return { write: (credential) => store.write(credential), release: async () => undefined };
};

const queuesByStore = new WeakMap<TokenStore, Promise<unknown>>();

/** Runs `callback` exclusively: under the store's own lock, or one call at a time within this process. */
export const withExclusiveStore = async <T>(
  store: TokenStore,
  signal: AbortSignal,
  callback: () => Promise<T>,
): Promise<T> => {
  if (store.lock) return store.lock(callback, { signal });
  const result = (queuesByStore.get(store) ?? Promise.resolve()).then(() => {
    signal.throwIfAborted();
    return callback();
  });
  queuesByStore.set(
    store,
    result.catch(() => undefined),
  );
  return result;
};
