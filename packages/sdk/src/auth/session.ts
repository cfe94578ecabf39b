import type { AuthError } from "./auth-error.js";
import type { Credential } from "./credential.js";
import { authErrors } from "./errors.js";
import type { OAuthSettings } from "./oauth-settings.js";
import { type TokenStore, readStored } from "./token-store.js";

/** What this process knows of the credential in a store. All authenticators of one store share it. */
export class Session {
  /** Read or refreshed last. */
  credential: Credential | undefined;
  /** The one renewal that is under way, and the access token that it is to replace whatever its clock says. */
  flight: { landing: Promise<Credential>; rejected: string | undefined } | undefined;
  /** The one late write that is under way. */
  saving: Promise<void> | undefined;
  /** What the flight waits for, in words. */
  waitingFor = "the store";
  /** No refresh ahead of time and no late write before this time: the last one failed. */
  pausedUntil = 0;
  #logins = 0;
  #unsaved: { credential: Credential; replaces: Credential } | undefined;

  /** There is a refreshed credential that the store did not take. */
  get isUnsaved(): boolean {
    return this.#unsaved !== undefined;
  }

  /** Forgets what was known: somebody logged in or out. */
  replace(credential: Credential | undefined): void {
    this.#logins += 1;
    this.credential = credential;
    this.#unsaved = undefined;
  }

  /** Takes a refreshed credential, which is to replace the stored one. */
  refreshed(credential: Credential, replaces: Credential): void {
    this.credential = credential;
    this.#unsaved = { credential, replaces: this.#unsaved?.replaces ?? replaces };
  }

  saved(): void {
    this.#unsaved = undefined;
  }

  /** The refreshed credential that the stored one has not been replaced by; undefined when the store has the newest. */
  newerThan(stored: Credential | AuthError | undefined): Credential | undefined {
    const { replaces, credential } = this.#unsaved ?? {};
    return stored && replaces && "accessToken" in stored && stored.accessToken === replaces.accessToken
      ? credential
      : undefined;
  }

  /** The newest credential. One that somebody else has stored wins over one that was never stored. */
  async read(store: TokenStore, settings: OAuthSettings): Promise<Credential | undefined> {
    this.waitingFor = "the store";
    const logins = this.#logins;
    const stored = await readStored(store);
    const newest = this.newerThan(stored) ?? stored;
    // Somebody has logged in or out while this was read: what is known is newer.
    const isLate = logins !== this.#logins;
    if (newest === stored && !isLate) this.#unsaved = undefined;
    if (newest) assertOwn(newest, settings);
    if (!isLate) this.credential = newest;
    return newest;
  }
}

const sessions = new WeakMap<TokenStore, Session>();

export const sessionOf = (store: TokenStore): Session => {
  const session = sessions.get(store) ?? new Session();
  sessions.set(store, session);
  return session;
};

/** Throws `auth:issuer_mismatch` for a credential of another server or client: it must not be sent to this one. */
export const assertOwn = ({ issuer, clientId }: Credential, settings: OAuthSettings): void => {
  if (issuer !== settings.issuer) throw authErrors.otherIssuer(issuer, settings.issuer);
  if (clientId !== settings.clientId) throw authErrors.otherClient();
};
