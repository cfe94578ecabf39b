import { withDeadline } from "../deadlines/with-deadline.js";
import { MgmtError } from "../errors/mgmt-error.js";
import { throwNotLoaded } from "../errors/not-loaded.js";
import { AuthError, TokenStoreError } from "./auth-error.js";
import type { Credential } from "./credential.js";
import { authErrors } from "./errors.js";
import { type OAuthOptions, type OAuthSettings, readOAuthSettings } from "./oauth-settings.js";
import { assertIssuedForClient, getStoreState } from "./store-state.js";
import { type TokenStore, withExclusiveStore, readStoredCredential } from "./token-store.js";

export interface LogoutOptions extends OAuthOptions {
  store: TokenStore;
  /** Cancels the logout, which then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/**
 * Clears the store, then revokes the refresh token and all tokens issued from it. Does nothing if no one is logged in.
 *
 * The store is cleared even if its content is corrupt or the server cannot be reached; then `AuthError`
 * `auth:revoke_failed` is thrown, because the login may still be valid. A login of another server or client is not
 * changed (`auth:issuer_mismatch`). If the store cannot be cleared, its error is thrown and nothing is sent.
 */
export const logout = async (options: LogoutOptions): Promise<void> => {
  const { store, signal } = options;
  const settings = readOAuthSettings(options);
  const credential = await removeStoredCredential(settings, store, signal);
  if (credential === undefined) return;
  if (credential instanceof AuthError) throw authErrors.notRevoked(credential);
  try {
    const { revoke } = await import("./protocol.js").catch(throwNotLoaded);
    await revoke(settings, credential, signal);
  } catch (error) {
    throw error instanceof MgmtError ? authErrors.notRevoked(error) : error;
  }
};

/** Clears the store and returns its credential, or the error if its content is corrupt. */
const removeStoredCredential = (
  settings: OAuthSettings,
  store: TokenStore,
  signal: AbortSignal | undefined,
): Promise<Credential | AuthError | undefined> => {
  const { timeoutMs } = settings;
  const createTimeoutError = (): AuthError =>
    authErrors.storeTimeout(timeoutMs, "Nothing was revoked. Log out again when the store works.");
  return withDeadline({ signals: [signal], timeoutMs, onTimeout: createTimeoutError }, (deadlineSignal) =>
    withExclusiveStore(store, deadlineSignal, async () => {
      const storedCredential = await readCredentialOrCorruptError(store);
      const storeState = getStoreState(store);
      const newestCredential = storeState.findReplacementOf(storedCredential) ?? storedCredential;
      if (newestCredential !== undefined && !(newestCredential instanceof AuthError))
        assertIssuedForClient(newestCredential, settings);
      if (storedCredential !== undefined) await store.clear();
      storeState.resetTo(undefined);
      return newestCredential;
    }),
  );
};

const readCredentialOrCorruptError = async (
  store: TokenStore,
): Promise<Credential | TokenStoreError | undefined> => {
  try {
    return await readStoredCredential(store);
  } catch (error) {
    if (error instanceof TokenStoreError && error.code === "auth:store_corrupt") return error;
    throw error;
  }
};
