import type { AuthError } from "./auth-error.js";
import type { Credential } from "./credential.js";
import { authErrors } from "./errors.js";
import type { OAuthSettings } from "./oauth-settings.js";
import { type TokenStore, readStoredCredential } from "./token-store.js";

/** This process's cached state of a store. All authenticators of the store share it. */
export class StoreState {
  /** The credential that was last read or refreshed. */
  credential: Credential | undefined;
  /** The renewal in progress, and the rejected access token that it must replace even if it has not expired. */
  renewal: { result: Promise<Credential>; rejected: string | undefined } | undefined;
  /** The delayed write in progress. */
  pendingWrite: Promise<void> | undefined;
  /** Names the store or server that the renewal in progress waits for, for error messages. */
  waitingFor = "the store";
  /** Time until which no early refresh and no delayed write starts, because the last one failed. */
  pausedUntil = 0;
  #replacementCount = 0;
  #unsaved: { credential: Credential; replaces: Credential } | undefined;

  /** Whether a refreshed credential could not be stored yet. */
  get hasUnsavedCredential(): boolean {
    return this.#unsaved !== undefined;
  }

  /** Resets the state after a login, a logout, or a rejected refresh token. */
  resetTo(credential: Credential | undefined): void {
    this.#replacementCount += 1;
    this.credential = credential;
    this.#unsaved = undefined;
  }

  /** Records a refreshed credential that is to replace the stored one. */
  setUnsaved(credential: Credential, replaces: Credential): void {
    this.credential = credential;
    this.#unsaved = { credential, replaces: this.#unsaved?.replaces ?? replaces };
  }

  markSaved(): void {
    this.#unsaved = undefined;
  }

  /** Returns the unsaved credential if it is to replace this stored one. */
  findReplacementOf(stored: Credential | AuthError | undefined): Credential | undefined {
    const { replaces, credential } = this.#unsaved ?? {};
    return stored && replaces && "accessToken" in stored && stored.accessToken === replaces.accessToken
      ? credential
      : undefined;
  }

  /**
   * Reads the store. Returns the unsaved credential instead of the one that it replaces; one that another process has stored takes
   * precedence over it. After a login or logout during the read, the returned credential is older than `credential`.
   */
  async read(store: TokenStore, settings: OAuthSettings): Promise<Credential | undefined> {
    this.waitingFor = "the store";
    const replacementsBefore = this.#replacementCount;
    const storedCredential = await readStoredCredential(store);
    const newestCredential = this.findReplacementOf(storedCredential) ?? storedCredential;
    // The cached state is newer then.
    const wasReplaced = replacementsBefore !== this.#replacementCount;
    if (newestCredential === storedCredential && !wasReplaced) this.#unsaved = undefined;
    if (newestCredential) assertIssuedForClient(newestCredential, settings);
    if (!wasReplaced) this.credential = newestCredential;
    return newestCredential;
  }
}

const storeStates = new WeakMap<TokenStore, StoreState>();

/** Returns the state that all authenticators with this store share in the process. */
export const getStoreState = (store: TokenStore): StoreState => {
  const storeState = storeStates.get(store) ?? new StoreState();
  storeStates.set(store, storeState);
  return storeState;
};

/**
 * Throws `auth:issuer_mismatch` if the credential belongs to another server or client, and must not be sent to this
 * one.
 */
export const assertIssuedForClient = ({ issuer, clientId }: Credential, settings: OAuthSettings): void => {
  if (issuer !== settings.issuer) throw authErrors.otherIssuer(issuer, settings.issuer);
  if (clientId !== settings.clientId) throw authErrors.otherClient();
};
