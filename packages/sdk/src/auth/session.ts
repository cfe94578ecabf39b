import type { AuthError } from "./auth-error.js";
import type { Credential } from "./credential.js";
import { authErrors } from "./errors.js";
import type { OAuthSettings } from "./oauth-settings.js";
import { type TokenStore, readStoredCredential } from "./token-store.js";

/** This process's cached state of a store. All authenticators of the store share it. */
export class Session {
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
  #logins = 0;
  #unsaved: { credential: Credential; replaces: Credential } | undefined;

  /** Whether there is a refreshed credential that could not be stored yet. */
  get isUnsaved(): boolean {
    return this.#unsaved !== undefined;
  }

  /** Resets the state after a login or logout. */
  replace(credential: Credential | undefined): void {
    this.#logins += 1;
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

  /**
   * Returns the refreshed credential that has not replaced the stored one yet; `undefined` if the store has the newest.
   */
  findNewerThan(storedOutcome: Credential | AuthError | undefined): Credential | undefined {
    const { replaces, credential } = this.#unsaved ?? {};
    return storedOutcome &&
      replaces &&
      "accessToken" in storedOutcome &&
      storedOutcome.accessToken === replaces.accessToken
      ? credential
      : undefined;
  }

  /** Returns the newest credential. One stored by another process takes precedence over one that was never stored. */
  async read(store: TokenStore, settings: OAuthSettings): Promise<Credential | undefined> {
    this.waitingFor = "the store";
    const loginsBefore = this.#logins;
    const storedCredential = await readStoredCredential(store);
    const newestCredential = this.findNewerThan(storedCredential) ?? storedCredential;
    // A login or logout happened during the read, so the cached state is newer.
    const hasNewerLogin = loginsBefore !== this.#logins;
    if (newestCredential === storedCredential && !hasNewerLogin) this.#unsaved = undefined;
    if (newestCredential) assertIssuedForClient(newestCredential, settings);
    if (!hasNewerLogin) this.credential = newestCredential;
    return newestCredential;
  }
}

const sessions = new WeakMap<TokenStore, Session>();

export const sessionOf = (store: TokenStore): Session => {
  const session = sessions.get(store) ?? new Session();
  sessions.set(store, session);
  return session;
};

/**
 * Throws `auth:issuer_mismatch` if the credential belongs to another server or client, and must not be sent to this
 * one.
 */
export const assertIssuedForClient = ({ issuer, clientId }: Credential, settings: OAuthSettings): void => {
  if (issuer !== settings.issuer) throw authErrors.otherIssuer(issuer, settings.issuer);
  if (clientId !== settings.clientId) throw authErrors.otherClient();
};
