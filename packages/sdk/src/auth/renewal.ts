import { notLoaded } from "../errors/not-loaded.js";
import { AuthError, TokenStoreError } from "./auth-error.js";
import { type Credential, urgencyOf } from "./credential.js";
import { authErrors } from "./errors.js";
import type { OAuthSettings } from "./oauth-settings.js";
import type { Session } from "./session.js";
import { type TokenStore, exclusively, reserve } from "./token-store.js";

/** Context of a renewal. */
export interface Renewal {
  settings: OAuthSettings;
  store: TokenStore;
  session: Session;
  /** Called with errors that do not fail a call. */
  report: (error: unknown) => void;
}

/** Requirements for the renewed credential. */
export interface Requirements {
  /** An access token that was rejected and must not be returned. */
  rejected: string | undefined;
  /** Also renew a credential that is still usable but expires soon. */
  early: boolean;
}

/**
 * Returns a credential with a usable access token: the stored one if another process or call has already renewed it,
 * otherwise a refreshed one. The refresh token is used under the store's lock, after reading the store again.
 */
export const renew = async (
  renewal: Renewal,
  requirements: Requirements,
  signal: AbortSignal,
): Promise<Credential> => {
  const { store, session, settings } = renewal;
  // Usually another process has already renewed it, and then no lock is needed.
  const stored = await session.read(store, settings);
  if (!stored) throw authErrors.notLoggedIn();
  if (isEnough(stored, requirements)) return stored;
  assertRefreshable(stored);
  session.waitingFor = "the lock of the store, which another process or call holds";
  const locked = exclusively(store, signal, async () => {
    const current = await session.read(store, settings);
    if (!current) throw authErrors.notLoggedIn();
    return isEnough(current, requirements) ? current : refreshStored(renewal, current, requirements, signal);
  });
  return locked.catch(async (error: unknown) => {
    // Another process may have renewed the credential just before the store could no longer be locked.
    const current = error instanceof TokenStoreError ? await session.read(store, settings) : undefined;
    if (current && isEnough(current, requirements)) return current;
    throw error;
  });
};

const isEnough = (credential: Credential, { rejected, early }: Requirements): boolean => {
  const urgency = urgencyOf(credential, rejected);
  return urgency === "none" || (urgency === "soon" && !early);
};

function assertRefreshable(
  credential: Credential,
): asserts credential is Credential & { refreshToken: string } {
  if (credential.refreshToken === undefined) throw authErrors.ended();
}

/** Refreshes the stored credential. Call it under the lock. */
const refreshStored = async (
  renewal: Renewal,
  credential: Credential,
  requirements: Requirements,
  signal: AbortSignal,
): Promise<Credential> => {
  const { settings, store, session } = renewal;
  assertRefreshable(credential);
  try {
    return await refreshAndStore(renewal, credential, signal);
  } catch (error) {
    if (!isRefused(error)) throw error;
    // A process that does not use the lock may have refreshed first.
    const current = await session.read(store, settings);
    if (current && isEnough(current, requirements)) return current;
    if (current?.refreshToken === credential.refreshToken) {
      await clearStore(renewal);
      throw authErrors.refused(error);
    }
    if (!current) throw authErrors.notLoggedIn();
    assertRefreshable(current);
    return await refreshAndStore(renewal, current, signal).catch((second: unknown) => {
      throw isRefused(second) ? authErrors.refused(second) : second;
    });
  }
};

const refreshAndStore = async (
  { settings, store, session, report }: Renewal,
  credential: Credential & { refreshToken: string },
  signal: AbortSignal,
): Promise<Credential> => {
  const { refresh } = await import("./protocol.js").catch(notLoaded);
  // A refresh uses up the refresh token, so do not start one whose result cannot be stored.
  const reservation = await reserve(store);
  try {
    session.waitingFor = `the authorization server, ${settings.issuer}`;
    const next = await refresh(settings, credential, signal).catch((error: unknown) => {
      // The token may have been used up. If so, an immediate retry is the best chance to get its successor.
      if (hasNoResponse(error)) return refresh(settings, credential, signal);
      throw error;
    });
    session.refreshed(next, credential);
    session.waitingFor = "the store";
    await reservation.write(next).then(
      () => session.saved(),
      // The token is valid and in memory; it is stored later.
      report,
    );
    return next;
  } finally {
    await reservation.release();
  }
};

/** Clears the store. The caller holds the lock and has just compared the credential, so no other login can be lost. */
const clearStore = async ({ store, session, report }: Renewal): Promise<void> => {
  session.replace(undefined);
  await store.clear().catch(report);
};

const isRefused = (error: unknown): error is AuthError =>
  error instanceof AuthError && error.oauthError === "invalid_grant";

const hasNoResponse = (error: unknown): boolean =>
  error instanceof AuthError && error.code === "auth:refresh_failed" && error.status === undefined;

/** Stores a refreshed credential that could not be stored earlier, unless there was a login or logout since. */
export const storePending = ({ settings, store, session }: Renewal, signal: AbortSignal): Promise<void> =>
  exclusively(store, signal, async () => {
    const newest = await session.read(store, settings);
    if (!newest || !session.isUnsaved) return;
    await store.write(newest);
    session.saved();
  });
