import type { TokenRequest } from "../request/call.js";
import { withDeadline } from "../request/with-deadline.js";
import { LoginRequiredError } from "./auth-error.js";
import { type Credential, isAlive, needOf } from "./credential.js";
import { authErrors } from "./errors.js";
import { type OAuthOptions, readOAuthSettings } from "./oauth-settings.js";
import { type Wanted, renew, storeLate } from "./renewal.js";
import { assertOwn, sessionOf } from "./session.js";
import type { TokenStore } from "./token-store.js";

export interface AuthenticatorOptions extends OAuthOptions {
  /** Where the login is kept. Authenticators of one store share what they know of it. */
  store: TokenStore;
  /** Told of failures that fail no call: of a refresh ahead of time, of storing a refreshed credential. Default: nobody. */
  onBackgroundError?: ((error: unknown) => void) | undefined;
}

/** Keeps a login going. */
export interface Authenticator {
  /** For `createClient({ token })`. Without a request it gives a token that is good by the clock. */
  readonly token: (request?: Partial<TokenRequest>) => Promise<string>;
  /**
   * Resolves when no refresh is under way and what was refreshed is stored; rejects when it cannot be stored. A program that
   * ends with `process.exit()` waits for it first: a refresh that is cut off may have used up the refresh token.
   */
  settled(): Promise<void>;
}

/** After a failure in the background, for how long nothing is tried there again, in milliseconds. */
const pause = 5_000;

/**
 * Gives the access token of a stored login, and refreshes it.
 *
 * | access token                             | what `token` does                                                     |
 * | ---------------------------------------- | --------------------------------------------------------------------- |
 * | good for 2 minutes or more, or for ever¹ | gives it                                                              |
 * | ends within 2 minutes²                   | gives it, and refreshes in the background                             |
 * | ends within 30 seconds², or has ended    | waits for the refresh; if that fails, gives it while it has not ended |
 * | answered 401                             | waits for the refresh, and the client sends the request once more     |
 * | ended, or answered 401, no refresh token | `LoginRequiredError`                                                  |
 *
 * ¹ The server did not say when it ends. ² Of a token that lives less than 8 minutes: within the last quarter and the last
 * sixteenth of its life.
 *
 * - One refresh at a time: calls share it, whatever their number, and authenticators of the same store do. With a store that
 *   has a lock (`fileStore`), processes share it too: the lock is taken, the store is read once more, and only a credential
 *   that is still the old one is refreshed.
 * - A call that is aborted stops waiting, the refresh goes on. A call waits for `timeoutMs`, and at most for four fifths of
 *   its own deadline; then it throws `auth:timeout`. The refresh is given up after twice `timeoutMs`, so that a late answer
 *   serves the next call.
 * - A store that cannot be written is noticed before the refresh token is used up. If it becomes read-only between, one that
 *   can reserve a place (`fileStore`) has it, and all processes go on with what was put there. If it fails, the refreshed
 *   credential is kept in memory, used, and stored as soon as that works.
 * - An answer without a refresh token keeps the old one. A refresh that gets no answer is sent once more.
 * - `invalid_grant`: when the store holds another login meanwhile, that one is used. Otherwise the store is cleared, and
 *   `LoginRequiredError` is thrown.
 * - Any other failure keeps the login and throws `AuthError` (`auth:refresh_failed`, `auth:discovery_failed`,
 *   `auth:timeout`), or what the store throws (`TokenStoreError`). While the token has not ended, it fails no call, and is
 *   tried again after 5 seconds.
 * - Another process's login, refresh or logout is noticed at the next refresh, and after a 401.
 */
export const createAuthenticator = (options: AuthenticatorOptions): Authenticator => {
  const settings = readOAuthSettings(options);
  const { store, onBackgroundError } = options;
  const session = sessionOf(store);
  const report = (error: unknown): void => {
    session.pausedUntil = Date.now() + pause;
    onBackgroundError?.(error);
  };
  const renewal = { settings, store, session, report };
  const longest = 2 * settings.timeoutMs;

  const bounded = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withDeadline(
      {
        signal: undefined,
        timeoutMs: longest,
        timedOut: () => authErrors.noToken(longest, session.waitingFor),
      },
      work,
    );

  const fly = ({ rejected, ahead }: Wanted): Promise<Credential> => {
    const landing = bounded((signal) => renew(renewal, { rejected, ahead }, signal)).finally(() => {
      session.flight = undefined;
    });
    session.flight = { landing, rejected };
    return landing;
  };

  const renewed = async (rejected: string | undefined): Promise<Credential> => {
    // One that does not know of the 401 may end with the very token that was refused.
    for (let flight = session.flight; flight; flight = session.flight) {
      const credential = await flight.landing;
      if (credential.accessToken !== rejected || flight.rejected === rejected) return credential;
    }
    return fly({ rejected, ahead: false });
  };

  const save = (): Promise<void> => {
    session.saving ??= bounded((signal) => storeLate(renewal, signal)).finally(() => {
      session.saving = undefined;
    });
    return session.saving;
  };

  const inBackground = (work: () => Promise<unknown>): void => {
    if (Date.now() >= session.pausedUntil) void work().catch(report);
  };
  /** The last attempt has just failed, and there is a token to go on with. */
  const isPaused = (credential: Credential, rejected: string | undefined): boolean =>
    credential.accessToken !== rejected && isAlive(credential) && Date.now() < session.pausedUntil;

  const keepGoing = (credential: Credential): string => {
    assertOwn(credential, settings);
    if (session.isUnsaved && !session.saving) inBackground(save);
    if (needOf(credential) === "soon" && !session.flight) {
      inBackground(() => fly({ rejected: undefined, ahead: true }));
    }
    return credential.accessToken;
  };

  return {
    async token({ signal, timeoutMs = Number.POSITIVE_INFINITY, rejected } = {}) {
      const known = session.credential;
      if (known && (needOf(known, rejected) !== "now" || isPaused(known, rejected))) return keepGoing(known);
      const patience = Math.min(settings.timeoutMs, timeoutMs * 0.8);
      const timedOut = (): Error => authErrors.noToken(patience, session.waitingFor);
      try {
        return keepGoing(
          await withDeadline({ signal, timeoutMs: patience, timedOut }, () => renewed(rejected)),
        );
      } catch (error) {
        const { credential } = session;
        const isOver = signal?.aborted === true || error instanceof LoginRequiredError;
        if (isOver || !credential || credential.accessToken === rejected || !isAlive(credential)) throw error;
        assertOwn(credential, settings);
        report(error);
        return credential.accessToken;
      }
    },
    async settled() {
      await session.flight?.landing.catch(() => undefined);
      if (session.isUnsaved) await save();
    },
  };
};
