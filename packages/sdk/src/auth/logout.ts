import { withDeadline } from "../request/with-deadline.js";
import { AuthError, TokenStoreError } from "./auth-error.js";
import type { Credential } from "./credential.js";
import { authErrors } from "./errors.js";
import { type OAuthOptions, type OAuthSettings, readOAuthSettings } from "./oauth-settings.js";
import { assertOwn, sessionOf } from "./session.js";
import { type TokenStore, exclusively, readStored } from "./token-store.js";

export interface LogoutOptions extends OAuthOptions {
  store: TokenStore;
  /** Ends the work; the signal's own reason is thrown. */
  signal?: AbortSignal | undefined;
}

/**
 * Forgets the credential, then revokes it: its refresh token with all that came from it. Does nothing when nobody is logged
 * in. The store is cleared also when it holds nothing readable and when the server cannot be asked; then `AuthError`
 * `auth:revoke_failed` is thrown, since the login may still hold. A login of another server or client is left alone
 * (`auth:issuer_mismatch`). What the store throws when it cannot be cleared comes before anything is sent.
 */
export const logout = async (options: LogoutOptions): Promise<void> => {
  const { store, signal } = options;
  const settings = readOAuthSettings(options);
  const found = await forget(settings, store, signal);
  if (found === undefined) return;
  if (found instanceof AuthError) throw authErrors.notRevoked(found);
  const { revoke } = await import("./protocol.js");
  try {
    await revoke(settings, found, signal);
  } catch (error) {
    throw error instanceof AuthError ? authErrors.notRevoked(error) : error;
  }
};

/** Clears the store, and gives what it held: a credential of these settings, or the reason why it is none. */
const forget = (
  settings: OAuthSettings,
  store: TokenStore,
  signal: AbortSignal | undefined,
): Promise<Credential | AuthError | undefined> => {
  const { timeoutMs } = settings;
  const timedOut = (): AuthError =>
    authErrors.storeTimeout(timeoutMs, "Nothing was revoked. Log out again when the store works.");
  return withDeadline({ signal, timeoutMs, timedOut }, (limit) =>
    exclusively(store, limit, async () => {
      const found = await read(store);
      const session = sessionOf(store);
      const newest = session.newerThan(found) ?? found;
      if (newest !== undefined && !(newest instanceof AuthError)) assertOwn(newest, settings);
      if (found !== undefined) await store.clear();
      session.replace(undefined);
      return newest;
    }),
  );
};

const read = async (store: TokenStore): Promise<Credential | TokenStoreError | undefined> => {
  try {
    return await readStored(store);
  } catch (error) {
    if (error instanceof TokenStoreError && error.code === "auth:store_corrupt") return error;
    throw error;
  }
};
