import { throwNotLoaded } from "../errors/not-loaded.js";
import { AuthError, TokenStoreError } from "./auth-error.js";
import { type Credential, computeRenewalUrgency } from "./credential.js";
import { authErrors } from "./errors.js";
import type { OAuthSettings } from "./oauth-settings.js";
import type { StoreState } from "./store-state.js";
import { type TokenStore, withExclusiveStore, reserveSpace } from "./token-store.js";

/** Context of a renewal. */
export interface RenewalContext {
  settings: OAuthSettings;
  store: TokenStore;
  storeState: StoreState;
  /** Called with errors that do not fail a call. */
  onBackgroundFailure: (error: unknown) => void;
}

/** Requirements for the renewed credential. */
export interface RenewalRequirements {
  /** An access token that was rejected and must not be returned. */
  rejected: string | undefined;
  /** Also renew a credential that is still usable but expires soon. */
  includesExpiringSoon: boolean;
}

/**
 * Returns a credential with a usable access token: the stored one if another process or call has already renewed it,
 * otherwise a refreshed one. The refresh token is used under the store's lock, after reading the store again.
 */
export const renew = async (
  context: RenewalContext,
  requirements: RenewalRequirements,
  signal: AbortSignal,
): Promise<Credential> => {
  const { store, storeState, settings } = context;
  // Usually another process has already renewed it, and then no lock is needed.
  const storedCredential = await storeState.read(store, settings);
  if (!storedCredential) throw authErrors.notLoggedIn();
  if (meetsRequirements(storedCredential, requirements)) return storedCredential;
  assertRefreshable(storedCredential);
  storeState.waitingFor = "the lock of the store, which another process or call holds";
  const lockedRenewal = withExclusiveStore(store, signal, async () => {
    const currentCredential = await storeState.read(store, settings);
    if (!currentCredential) throw authErrors.notLoggedIn();
    return meetsRequirements(currentCredential, requirements)
      ? currentCredential
      : refreshOrRecover(context, currentCredential, requirements, signal);
  });
  return lockedRenewal.catch(async (error: unknown) => {
    // Another process may have renewed the credential just before the store could no longer be locked.
    const currentCredential =
      error instanceof TokenStoreError ? await storeState.read(store, settings) : undefined;
    if (currentCredential && meetsRequirements(currentCredential, requirements)) return currentCredential;
    throw error;
  });
};

const meetsRequirements = (
  credential: Credential,
  { rejected, includesExpiringSoon }: RenewalRequirements,
): boolean => {
  const urgency = computeRenewalUrgency(credential, rejected);
  return urgency === "none" || (urgency === "soon" && !includesExpiringSoon);
};

function assertRefreshable(
  credential: Credential,
): asserts credential is Credential & { refreshToken: string } {
  if (credential.refreshToken === undefined) throw authErrors.noRefreshToken();
}

/** Refreshes the stored credential. Call it under the lock. */
const refreshOrRecover = async (
  context: RenewalContext,
  credential: Credential,
  requirements: RenewalRequirements,
  signal: AbortSignal,
): Promise<Credential> => {
  const { settings, store, storeState } = context;
  assertRefreshable(credential);
  try {
    return await refreshAndStore(context, credential, signal);
  } catch (error) {
    if (!isInvalidGrant(error)) throw error;
    // A process that does not use the lock may have refreshed first.
    const currentCredential = await storeState.read(store, settings);
    if (currentCredential && meetsRequirements(currentCredential, requirements)) return currentCredential;
    if (currentCredential?.refreshToken === credential.refreshToken) {
      await clearStore(context);
      throw authErrors.loginRejected(error);
    }
    if (!currentCredential) throw authErrors.notLoggedIn();
    assertRefreshable(currentCredential);
    return await refreshAndStore(context, currentCredential, signal).catch((secondError: unknown) => {
      throw isInvalidGrant(secondError) ? authErrors.loginRejected(secondError) : secondError;
    });
  }
};

const refreshAndStore = async (
  { settings, store, storeState, onBackgroundFailure }: RenewalContext,
  credential: Credential & { refreshToken: string },
  signal: AbortSignal,
): Promise<Credential> => {
  const { refresh } = await import("./protocol.js").catch(throwNotLoaded);
  // A refresh uses up the refresh token, so do not start one whose result cannot be stored.
  const reservation = await reserveSpace(store);
  try {
    storeState.waitingFor = `the authorization server, ${settings.issuer}`;
    const newCredential = await refresh(settings, credential, signal).catch((error: unknown) => {
      // The token may have been used up. If so, an immediate retry is the best chance to get its successor.
      if (isFailureWithoutResponse(error)) return refresh(settings, credential, signal);
      throw error;
    });
    storeState.setUnsaved(newCredential, credential);
    storeState.waitingFor = "the store";
    await reservation.write(newCredential).then(
      () => storeState.markSaved(),
      // The token is valid and in memory; it is stored later.
      onBackgroundFailure,
    );
    return newCredential;
  } finally {
    await reservation.release();
  }
};

/** Clears the store. The caller holds the lock and has just compared the credential, so no other login can be lost. */
const clearStore = async ({ store, storeState, onBackgroundFailure }: RenewalContext): Promise<void> => {
  storeState.resetTo(undefined);
  await store.clear().catch(onBackgroundFailure);
};

const isInvalidGrant = (error: unknown): error is AuthError =>
  error instanceof AuthError && error.oauthError === "invalid_grant";

const isFailureWithoutResponse = (error: unknown): boolean =>
  error instanceof AuthError && error.code === "auth:refresh_failed" && error.status === undefined;

/** Stores a refreshed credential that could not be stored earlier, unless there was a login or logout since. */
export const storeUnsavedCredential = (
  { settings, store, storeState }: RenewalContext,
  signal: AbortSignal,
): Promise<void> =>
  withExclusiveStore(store, signal, async () => {
    const newestCredential = await storeState.read(store, settings);
    if (!newestCredential || !storeState.hasUnsavedCredential) return;
    await store.write(newestCredential);
    storeState.markSaved();
  });
