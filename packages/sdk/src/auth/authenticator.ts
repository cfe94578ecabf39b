import type { TokenRequest } from "../request/call.js";
import { withDeadline } from "../deadlines/with-deadline.js";
import { LoginRequiredError } from "./auth-error.js";
import { type Credential, isUnexpired, computeRenewalUrgency } from "./credential.js";
import { authErrors } from "./errors.js";
import { type OAuthOptions, readOAuthSettings } from "./oauth-settings.js";
import { type RenewalRequirements, renew, storeUnsavedCredential } from "./renewal.js";
import { assertIssuedForClient, getStoreState } from "./store-state.js";
import type { TokenStore } from "./token-store.js";

export interface AuthenticatorOptions extends OAuthOptions {
  /** Where the credential is stored. Authenticators with the same store share its cached state. */
  store: TokenStore;
  /**
   * Called with failures that do not fail a call: of an early refresh, or of storing a refreshed credential. Errors that it throws are
   * printed with `console.warn`. Default: ignored.
   */
  onBackgroundError?: ((error: unknown) => unknown) | undefined;
}

/** Supplies access tokens for a login and refreshes them. */
export interface Authenticator {
  /** Returns an access token, for `createClient({ token })`. Without a request, checks only the expiration time. */
  readonly token: (request?: Partial<TokenRequest>) => Promise<string>;
  /**
   * Resolves when no refresh is in progress and the refreshed credential is stored; rejects if it cannot be stored.
   * Await it before `process.exit()`: an interrupted refresh may have consumed the refresh token.
   */
  settled(): Promise<void>;
}

/** Time between background attempts after a failure, in milliseconds. */
const pauseAfterFailureMs = 5_000;

/**
 * Creates an authenticator that returns the access token of a stored login and refreshes it.
 *
 * | access token                                  | what `token` does                                                            |
 * | --------------------------------------------- | ---------------------------------------------------------------------------- |
 * | valid for 2 minutes or more, or indefinitely¹ | returns it                                                                   |
 * | expires within 2 minutes²                     | returns it and refreshes in the background                                   |
 * | expires within 30 seconds², or has expired    | waits for the refresh; if that fails, returns the token if it is still valid |
 * | rejected with 401                             | waits for the refresh; the client then retries the request once              |
 * | expired or rejected, and no refresh token     | throws `LoginRequiredError`                                                  |
 *
 * ¹ The server did not send an expiration time. ² For a token with a lifetime of less than 8 minutes: the last quarter
 * and the last sixteenth of its lifetime.
 *
 * - Only one refresh runs at a time. All calls and all authenticators of the same store share it. With a store that
 *   supports locking (`fileStore`), processes share it too: the store is read again under the lock, and the credential
 *   is refreshed only if it is still the old one.
 * - Aborting a call stops its wait but not the refresh. A call waits up to `timeoutMs`, and at most four fifths of its
 *   own deadline; then it throws `auth:timeout`. The refresh itself times out after twice `timeoutMs`, so that a late
 *   response can serve the next call.
 * - A store that cannot be written is detected before the refresh token is used. If it becomes read-only during the
 *   refresh, a store that reserves space (`fileStore`) still saves the credential where all processes find it. If
 *   saving fails, the refreshed credential is used from memory and stored as soon as possible.
 * - If the response has no refresh token, the old one remains in use. A refresh without a response is retried once.
 * - `invalid_grant`: if the store contains a different login by then, that one is used. Otherwise the store is cleared
 *   and `LoginRequiredError` is thrown.
 * - Any other failure leaves the login unchanged and throws `AuthError` (`auth:refresh_failed`, `auth:discovery_failed`,
 *   `auth:timeout`) or the error of the store (`TokenStoreError`). While the access token is valid, such a failure does
 *   not fail calls, and the refresh is retried after 5 seconds.
 * - A login, refresh or logout by another process is noticed at the next refresh and after a 401; by another tab that shares a
 *   `browserStore`, at the next call.
 */
export const createAuthenticator = (options: AuthenticatorOptions): Authenticator => {
  const settings = readOAuthSettings(options);
  const { store, onBackgroundError } = options;
  const storeState = getStoreState(store);
  const reportAndPause = (error: unknown): void => {
    storeState.pausedUntil = Date.now() + pauseAfterFailureMs;
    // Not `observe`, which is larger: these failures are rare already.
    const call = async (): Promise<unknown> => onBackgroundError?.(error);
    call().catch((failure: unknown) => console.warn("[mgmt] onBackgroundError failed:", failure));
  };
  const renewal = { settings, store, storeState, onBackgroundFailure: reportAndPause };
  const renewalLimitMs = 2 * settings.timeoutMs;

  const withRenewalDeadline = <T>(callback: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withDeadline(
      {
        signals: [],
        timeoutMs: renewalLimitMs,
        onTimeout: () => authErrors.noToken(renewalLimitMs, storeState.waitingFor),
      },
      callback,
    );

  const startRenewal = ({ rejected, includesExpiringSoon }: RenewalRequirements): Promise<Credential> => {
    const renewedCredential = withRenewalDeadline((signal) =>
      renew(renewal, { rejected, includesExpiringSoon }, signal),
    ).finally(() => {
      storeState.renewal = undefined;
    });
    storeState.renewal = { result: renewedCredential, rejected };
    return renewedCredential;
  };

  const awaitRenewal = async (rejected: string | undefined): Promise<Credential> => {
    // A refresh that started before the 401 may return the rejected token.
    for (let runningRenewal = storeState.renewal; runningRenewal; runningRenewal = storeState.renewal) {
      const credential = await runningRenewal.result;
      if (credential.accessToken !== rejected || runningRenewal.rejected === rejected) return credential;
    }
    return startRenewal({ rejected, includesExpiringSoon: false });
  };

  const saveUnsavedCredential = (): Promise<void> => {
    storeState.pendingWrite ??= withRenewalDeadline((signal) =>
      storeUnsavedCredential(renewal, signal),
    ).finally(() => {
      storeState.pendingWrite = undefined;
    });
    return storeState.pendingWrite;
  };

  const runInBackground = (callback: () => Promise<unknown>): void => {
    if (Date.now() >= storeState.pausedUntil) void callback().catch(reportAndPause);
  };
  /** Whether the last attempt failed recently and the current token is still usable. */
  const isUsableDuringPause = (credential: Credential, rejected: string | undefined): boolean =>
    credential.accessToken !== rejected && isUnexpired(credential) && Date.now() < storeState.pausedUntil;

  const useCredential = (credential: Credential): string => {
    assertIssuedForClient(credential, settings);
    if (storeState.hasUnsavedCredential && !storeState.pendingWrite) runInBackground(saveUnsavedCredential);
    if (computeRenewalUrgency(credential) === "soon" && !storeState.renewal) {
      runInBackground(() => startRenewal({ rejected: undefined, includesExpiringSoon: true }));
    }
    return credential.accessToken;
  };

  return {
    async token({ signal, timeoutMs = Number.POSITIVE_INFINITY, rejected } = {}) {
      const knownCredential = storeState.credential;
      const isCurrent = storeState.hasUnsavedCredential || !store.hasChanged?.();
      if (
        knownCredential &&
        isCurrent &&
        (computeRenewalUrgency(knownCredential, rejected) !== "now" ||
          isUsableDuringPause(knownCredential, rejected))
      )
        return useCredential(knownCredential);
      const waitMs = Math.min(settings.timeoutMs, timeoutMs * 0.8);
      const createTimeoutError = (): Error => authErrors.noToken(waitMs, storeState.waitingFor);
      try {
        return useCredential(
          await withDeadline({ signals: [signal], timeoutMs: waitMs, onTimeout: createTimeoutError }, () =>
            awaitRenewal(rejected),
          ),
        );
      } catch (error) {
        const { credential } = storeState;
        const mustFail = signal?.aborted === true || error instanceof LoginRequiredError;
        if (mustFail || !credential || credential.accessToken === rejected || !isUnexpired(credential))
          throw error;
        assertIssuedForClient(credential, settings);
        reportAndPause(error);
        return credential.accessToken;
      }
    },
    async settled() {
      await storeState.renewal?.result.catch(() => undefined);
      if (storeState.hasUnsavedCredential) await saveUnsavedCredential();
    },
  };
};
