import { withDeadline } from "../deadlines/with-deadline.js";
import { throwNotLoaded } from "../errors/not-loaded.js";
import type { Credential } from "./credential.js";
import { authErrors } from "./errors.js";
import { type OAuthOptions, type OAuthSettings, readOAuthSettings } from "./oauth-settings.js";
import type { LoginAttempt } from "./protocol.js";
import { getStoreState } from "./store-state.js";
import { type TokenStore, withExclusiveStore } from "./token-store.js";

/** Options that all logins share. */
export interface LoginOptions extends OAuthOptions {
  /**
   * Scopes to request. Default: `workspace:admin` and `offline_access`. Without `offline_access`, the login ends when
   * its first access token expires.
   */
  scopes?: readonly string[] | undefined;
  /** Cancels the login, which then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
}

export interface StartLoginOptions extends LoginOptions {
  /** Where the server redirects the browser, exactly as registered for the client. */
  redirectUri: string;
}

export interface StartedLogin {
  /** URL to open in the user's browser. */
  url: string;
  /**
   * Plain JSON that ties the callback to this login. It is a secret of this user's browser session: store it there (an
   * encrypted or server-side session, `sessionStorage`), use it once, then delete it.
   */
  attempt: LoginAttempt;
}

export interface FinishLoginOptions extends OAuthOptions {
  /** The `attempt` that `startLogin` returned. */
  attempt: LoginAttempt;
  /**
   * The URL that the server redirected the browser to: the full URL, or its path and query. A bare code, which some
   * users paste instead, is protected only by PKCE.
   */
  callback: string | URL | { code: string };
  /** Where to store the credential. Default: it is only returned. */
  store?: TokenStore | undefined;
  /** Cancels the login, which then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
}

const defaultScopes = ["workspace:admin", "offline_access"];

/**
 * Starts a login in a browser, with the authorization code flow and PKCE
 * ([RFC 7636](https://www.rfc-editor.org/rfc/rfc7636)). Nothing is stored: pass `attempt` to `finishLogin` when the
 * browser returns. Throws `AuthError` (`auth:discovery_failed`, `auth:issuer_mismatch`, `auth:timeout`).
 *
 * ```ts
 * const { url, attempt } = await startLogin({ authUrl, clientId, redirectUri: "https://app.example.com/callback" });
 * ```
 */
export const startLogin = async (options: StartLoginOptions): Promise<StartedLogin> =>
  startLoginWithSettings(readOAuthSettings(options), options);

/** Like `startLogin`, with settings that are already parsed. */
export const startLoginWithSettings = async (
  settings: OAuthSettings,
  { redirectUri, scopes = defaultScopes, signal }: Omit<StartLoginOptions, keyof OAuthOptions>,
): Promise<StartedLogin> => {
  const { startAuthorization } = await import("./protocol.js").catch(throwNotLoaded);
  return startAuthorization(settings, { redirectUri, scopes: [...scopes] }, signal);
};

/**
 * Finishes a login: checks that the callback belongs to the attempt (`state`, and `iss` if the server sends it),
 * exchanges the code for tokens and saves the credential in `store`. A second call with the same attempt and callback, meanwhile or within
 * 30 seconds, resolves to the same credential.
 *
 * Throws `AuthError`:
 * - `auth:denied` if the user denied the login.
 * - `auth:state_mismatch`, `auth:issuer_mismatch` or `auth:callback_invalid` if the callback does not belong to the
 *   attempt. Nothing is sent to the server.
 * - `auth:login_failed`, `auth:discovery_failed` or `auth:timeout` if the server fails.
 * - The errors of the store, before the code is used if possible.
 */
export const finishLogin = async (options: FinishLoginOptions): Promise<Credential> =>
  finishLoginWithSettings(readOAuthSettings(options), options);

/** Like `finishLogin`, with settings that are already parsed. */
export const finishLoginWithSettings = async (
  settings: OAuthSettings,
  { attempt, callback, store, signal }: Omit<FinishLoginOptions, keyof OAuthOptions>,
): Promise<Credential> => {
  const parameters = parseCallback(callback, attempt);
  await assertStoreWritable(store, signal);
  const { redeemCallback } = await import("./protocol.js").catch(throwNotLoaded);
  const redemption = await redeemCallback(settings, attempt, parameters, signal);
  const credential = await redemption.credential;
  if (store && !redemption.stores.has(store)) {
    await storeNewCredential(store, credential, settings.timeoutMs);
    redemption.stores.add(store);
  }
  return credential;
};

const parseCallback = (
  callback: FinishLoginOptions["callback"],
  { redirectUri }: LoginAttempt,
): URLSearchParams | { code: string } => {
  if (typeof callback === "object" && "code" in callback) return callback;
  if (!URL.canParse(String(callback), redirectUri)) throw authErrors.invalidCallback("is not a URL");
  return new URL(callback, redirectUri).searchParams;
};

/** Checks that the store can be written. Can be aborted, since a store may prompt its user. */
export const assertStoreWritable = (
  store: TokenStore | undefined,
  signal: AbortSignal | undefined,
): Promise<void> => withStoreDeadline(Number.POSITIVE_INFINITY, signal, async () => store?.probe?.());

/**
 * Saves the credential. Not abortable, because the code is already used. The timeout is generous: a refresh that hangs
 * holds the lock for up to twice `timeoutMs`.
 */
const storeNewCredential = (store: TokenStore, credential: Credential, timeoutMs: number): Promise<void> =>
  withStoreDeadline(3 * timeoutMs, undefined, (deadlineSignal) =>
    withExclusiveStore(store, deadlineSignal, async () => {
      await store.write(credential);
      getStoreState(store).resetTo(credential);
    }),
  );

const withStoreDeadline = (
  timeoutMs: number,
  signal: AbortSignal | undefined,
  callback: (deadlineSignal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const createTimeoutError = (): Error =>
    authErrors.storeTimeout(timeoutMs, "The code has been used: start a new login when the store works.");
  return withDeadline({ signals: [signal], timeoutMs, onTimeout: createTimeoutError }, callback);
};
