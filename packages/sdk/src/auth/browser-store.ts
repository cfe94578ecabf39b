import { InvalidArgumentError } from "../errors/local-errors.js";
import { TokenStoreError } from "./auth-error.js";
import type { Credential } from "./credential.js";
import { parseCredential } from "./parse-credential.js";
import { storageErrors } from "./storage-errors.js";
import { type Reservation, type TokenStore, withExclusiveStore } from "./token-store.js";
import { assertOptions } from "#type-checks";

/** The part of `localStorage` or `sessionStorage` that a store uses. See https://html.spec.whatwg.org/multipage/webstorage.html. */
export interface BrowserStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface BrowserStoreOptions {
  /** Key of the credential in the storage. Two clients of one origin need two keys. Default: `mgmt.login`. */
  key?: string | undefined;
  /**
   * Where to keep the credential. Default: `sessionStorage`, which ends with the tab. With `localStorage`, all tabs of the origin share
   * the login, and it survives the end of the browser.
   */
  storage?: BrowserStorage | undefined;
}

/**
 * How long Chromium may take to show a tab the writes of another tab to `localStorage`. Its tabs have copies of the storage, which do not
 * wait for locks.
 */
const storagePropagationMs = 200;

/** Longer than a credential with the tokens of the service. */
const reservedLength = 8_192;

/**
 * Creates a store in a web page that survives a reload. Tabs that share a storage refresh only once, by means of Web Locks; in a page
 * without them (`http:` on another machine), they do not wait for each other.
 *
 * Every script that runs in the origin can read the credential, also one that an attacker has injected (XSS). `memoryStore` keeps it from
 * other pages of the origin, and ends with the page; a server of your own that keeps the tokens exposes none of them.
 *
 * With `localStorage`, a tab uses the login of another tab from its next call on, even if another user logged in. The app decides what it shows
 * then; the browser sends it the event `storage`.
 *
 * A tab that is duplicated starts with a copy of its session storage. A refresh token is valid once, so the login of both tabs ends when
 * the second one refreshes. Use `localStorage` if that matters.
 *
 * Throws `TokenStoreError`: `auth:store_corrupt` if the item is not a credential, `auth:store_unreadable` if the browser blocks the
 * storage, and `auth:store_failed` if the storage is full, blocked, or missing. `browserStore` itself throws `InvalidArgumentError` for
 * an option that does not exist, and for one of another type, which a production build for browsers does not check.
 */
export const browserStore = (options: BrowserStoreOptions = {}): TokenStore => {
  assertOptions(options, "browserStore", () => InvalidArgumentError);
  const { key = "mgmt.login", storage, ...unknownOptions } = options;
  for (const name in unknownOptions) throw new InvalidArgumentError(name, "is not an option");
  const reservedSpaceKey = `${key}.reserved`;
  /** A browser that blocks storage throws when a program reads the global. */
  const selectStorage = (): BrowserStorage => {
    const availableStorage: BrowserStorage | undefined =
      storage ?? (isPage() ? globalThis.sessionStorage : undefined);
    if (!availableStorage) throw storageErrors.missing();
    return availableStorage;
  };
  const changeStorage = (callback: (storage: BrowserStorage) => void): void => {
    try {
      callback(selectStorage());
    } catch (error) {
      throw error instanceof TokenStoreError ? error : storageErrors.unwritable(error);
    }
  };
  /** The value that this store has last read or written. */
  let lastKnownText: string | null = null;
  const write = (credential: Credential): void =>
    changeStorage((selectedStorage) => {
      const credentialJson = JSON.stringify(credential);
      selectedStorage.setItem(key, credentialJson);
      lastKnownText = credentialJson;
    });
  const reserveSpace = async (): Promise<Reservation> => {
    changeStorage((selectedStorage) => selectedStorage.setItem(reservedSpaceKey, "-".repeat(reservedLength)));
    const release = (): void =>
      changeStorage((selectedStorage) => selectedStorage.removeItem(reservedSpaceKey));
    return {
      write: async (credential) => {
        release();
        write(credential);
      },
      release: async () => release(),
    };
  };
  const store: TokenStore = {
    read: async () => {
      try {
        lastKnownText = selectStorage().getItem(key);
      } catch (error) {
        throw error instanceof TokenStoreError ? error : storageErrors.unreadable(error);
      }
      return lastKnownText === null
        ? undefined
        : parseCredential(`The item ${key} of the storage`, lastKnownText);
    },
    hasChanged: () => {
      try {
        return selectStorage().getItem(key) !== lastKnownText;
      } catch {
        return false;
      }
    },
    write: async (credential) => write(credential),
    clear: async () =>
      changeStorage((selectedStorage) => {
        selectedStorage.removeItem(key);
        selectedStorage.removeItem(reservedSpaceKey);
        lastKnownText = null;
      }),
    probe: async () => (await reserveSpace()).release(),
    reserve: reserveSpace,
  };
  // `withExclusiveStore` calls `lock` of a store that has one.
  const storeWithoutLock = { ...store };
  return {
    ...store,
    lock: async (callback, { signal }) => {
      // The types of browsers do not express that insecure pages have none.
      const { locks } = ((isPage() && globalThis.navigator) || {}) as { locks?: LockManager };
      if (!locks) return withExclusiveStore(storeWithoutLock, signal, callback);
      let isHeld = false;
      try {
        return await locks.request(`@mgmt/sdk ${key}`, { signal }, async () => {
          isHeld = true;
          if (storage && storage === globalThis.localStorage) await waitForPropagation();
          return callback();
        });
      } catch (error) {
        if (isHeld || signal.aborted) throw error;
        // A browser that blocks the storage of a page also denies it locks.
        return withExclusiveStore(storeWithoutLock, signal, callback);
      }
    },
  };
};

/**
 * Returns whether this is a page or its worker. Node.js 25 and newer, and Deno, have a storage too, which all visitors of a server would
 * share.
 */
const isPage = (): boolean => "document" in globalThis || "WorkerGlobalScope" in globalThis;

const waitForPropagation = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, storagePropagationMs));
