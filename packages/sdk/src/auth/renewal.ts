import { AuthError, TokenStoreError } from "./auth-error.js";
import { type Credential, needOf } from "./credential.js";
import { authErrors } from "./errors.js";
import type { OAuthSettings } from "./oauth-settings.js";
import type { Session } from "./session.js";
import { type TokenStore, exclusively, reserve } from "./token-store.js";

/** Who renews which credential. */
export interface Renewal {
  settings: OAuthSettings;
  store: TokenStore;
  session: Session;
  /** Told of what went wrong without failing a call. */
  report: (error: unknown) => void;
}

/** What the renewed credential must be good for. */
export interface Wanted {
  /** An access token that will not do. */
  rejected: string | undefined;
  /** Also renew one that would do for now. */
  ahead: boolean;
}

/**
 * A credential whose access token will do: the stored one, when another process or call has renewed it already, or else a
 * refreshed one. The refresh token is used under the store's lock, after reading the store once more there.
 */
export const renew = async (renewal: Renewal, wanted: Wanted, signal: AbortSignal): Promise<Credential> => {
  const { store, session, settings } = renewal;
  // Most of the time another process has done it, and this needs no lock.
  const stored = await session.read(store, settings);
  if (!stored) throw authErrors.notLoggedIn();
  if (isEnough(stored, wanted)) return stored;
  assertRefreshable(stored);
  session.waitingFor = "its turn: another process or call holds the lock of the store";
  const locked = exclusively(store, signal, async () => {
    const current = await session.read(store, settings);
    if (!current) throw authErrors.notLoggedIn();
    return isEnough(current, wanted) ? current : refreshStored(renewal, current, wanted, signal);
  });
  return locked.catch(async (error: unknown) => {
    // A store that cannot be locked any more may have been renewed right before.
    const current = error instanceof TokenStoreError ? await session.read(store, settings) : undefined;
    if (current && isEnough(current, wanted)) return current;
    throw error;
  });
};

const isEnough = (credential: Credential, { rejected, ahead }: Wanted): boolean => {
  const need = needOf(credential, rejected);
  return need === "none" || (need === "soon" && !ahead);
};

function assertRefreshable(
  credential: Credential,
): asserts credential is Credential & { refreshToken: string } {
  if (credential.refreshToken === undefined) throw authErrors.ended();
}

/** Under the lock. */
const refreshStored = async (
  renewal: Renewal,
  credential: Credential,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Credential> => {
  const { settings, store, session } = renewal;
  assertRefreshable(credential);
  try {
    return await refreshAndStore(renewal, credential, signal);
  } catch (error) {
    if (!isRefused(error)) throw error;
    // Somebody who does not know the lock may have been faster.
    const current = await session.read(store, settings);
    if (current && isEnough(current, wanted)) return current;
    if (current?.refreshToken === credential.refreshToken) {
      await forget(renewal);
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
  const { refresh } = await import("./protocol.js");
  // A refresh token is used up by the refresh: what cannot be stored afterwards must not be begun.
  const place = await reserve(store);
  try {
    session.waitingFor = `the authorization server, ${settings.issuer}`;
    const next = await refresh(settings, credential, signal).catch((error: unknown) => {
      // Whether the token was used up is unknown. If it was, asking again at once is the best chance to get its successor.
      if (isUnanswered(error)) return refresh(settings, credential, signal);
      throw error;
    });
    session.refreshed(next, credential);
    session.waitingFor = "the store";
    await place.write(next).then(
      () => session.saved(),
      // The token is good, and this process has it: it is stored later.
      report,
    );
    return next;
  } finally {
    await place.release();
  }
};

/** Compared right before: under the lock nobody else has stored another login meanwhile. */
const forget = async ({ store, session, report }: Renewal): Promise<void> => {
  session.replace(undefined);
  await store.clear().catch(report);
};

const isRefused = (error: unknown): error is AuthError =>
  error instanceof AuthError && error.oauthError === "invalid_grant";

const isUnanswered = (error: unknown): boolean =>
  error instanceof AuthError && error.code === "auth:refresh_failed" && error.status === undefined;

/** Stores what could not be stored when it was refreshed, unless somebody has logged in or out since. */
export const storeLate = ({ settings, store, session }: Renewal, signal: AbortSignal): Promise<void> =>
  exclusively(store, signal, async () => {
    const newest = await session.read(store, settings);
    if (!newest || !session.isUnsaved) return;
    await store.write(newest);
    session.saved();
  });
