import { withDeadline } from "../deadlines/with-deadline.js";
import { MgmtError } from "../errors/mgmt-error.js";
import { notLoaded } from "../errors/not-loaded.js";
import { AuthError, TokenStoreError } from "./auth-error.js";
import type { Credential } from "./credential.js";
import { authErrors } from "./errors.js";
import { type OAuthOptions, type OAuthSettings, readOAuthSettings } from "./oauth-settings.js";
import { assertOwn, sessionOf } from "./session.js";
import { type TokenStore, exclusively, readStored } from "./token-store.js";

export interface LogoutOptions extends OAuthOptions {
  store: TokenStore;
  /** Cancels the logout, which then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/**
 * Clears the store, then revokes the refresh token and all tokens issued from it. Does nothing if nobody is logged in.
 *
 * The store is cleared even if its content is corrupt or the server cannot be reached; then `AuthError`
 * `auth:revoke_failed` is thrown, because the login may still be valid. A login of another server or client is not
 * changed (`auth:issuer_mismatch`). If the store cannot be cleared, its error is thrown and nothing is sent.
 */
export const logout = async (options: LogoutOptions): Promise<void> => {
  const { store, signal } = options;
  const settings = readOAuthSettings(options);
  const credential = await forget(settings, store, signal);
  if (credential === undefined) return;
  if (credential instanceof AuthError) throw authErrors.notRevoked(credential);
  try {
    const { revoke } = await import("./protocol.js").catch(notLoaded);
    await revoke(settings, credential, signal);
  } catch (error) {
    throw error instanceof MgmtError ? authErrors.notRevoked(error) : error;
  }
};

/** Clears the store and returns its credential, or the error if its content is corrupt. */
const forget = (
  settings: OAuthSettings,
  store: TokenStore,
  signal: AbortSignal | undefined,
): Promise<Credential | AuthError | undefined> => {
  const { timeoutMs } = settings;
  const timedOut = (): AuthError =>
    authErrors.storeTimeout(timeoutMs, "Nothing was revoked. Log out again when the store works.");
  return withDeadline({ signals: [signal], timeoutMs, timedOut }, (limit) =>
    exclusively(store, limit, async () => {
      const stored = await read(store);
      const session = sessionOf(store);
      const newest = session.newerThan(stored) ?? stored;
      if (newest !== undefined && !(newest instanceof AuthError)) assertOwn(newest, settings);
      if (stored !== undefined) await store.clear();
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
