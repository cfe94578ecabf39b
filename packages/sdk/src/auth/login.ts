import { withDeadline } from "../request/with-deadline.js";
import type { Credential } from "./credential.js";
import { authErrors } from "./errors.js";
import { type OAuthOptions, type OAuthSettings, readOAuthSettings } from "./oauth-settings.js";
import type { LoginAttempt } from "./protocol.js";
import { sessionOf } from "./session.js";
import { type TokenStore, exclusively } from "./token-store.js";

/** What a login asks for. */
export interface LoginOptions extends OAuthOptions {
  /** Default: `workspace:admin` and `offline_access`, without which a login ends with its first access token. */
  scopes?: readonly string[] | undefined;
  /** Ends the work; the signal's own reason is thrown. */
  signal?: AbortSignal | undefined;
}

export interface StartLoginOptions extends LoginOptions {
  /** Where the browser is sent back to, exactly as the client has registered it. */
  redirectUri: string;
}

export interface StartedLogin {
  /** Where to send the user's browser. */
  url: string;
  /**
   * Plain JSON that proves the callback to be the answer to this very login. It is a secret of this user's browser session:
   * keep it there (an encrypted or server-side session, `sessionStorage`), use it once, and then forget it.
   */
  attempt: LoginAttempt;
}

export interface FinishLoginOptions extends OAuthOptions {
  /** As `startLogin` gave it. */
  attempt: LoginAttempt;
  /**
   * The address that the browser was sent back to: the whole of it, or path and query. A bare code, which some users paste
   * instead, is guarded by PKCE alone.
   */
  callback: string | URL | { code: string };
  /** Where the credential goes. Default: only to the caller. */
  store?: TokenStore | undefined;
  /** Ends the work; the signal's own reason is thrown. */
  signal?: AbortSignal | undefined;
}

const defaultScopes = ["workspace:admin", "offline_access"];

/**
 * Begins a login in a browser (authorization code with PKCE). It keeps nothing: hand `attempt` to `finishLogin` when the
 * browser comes back. Throws `AuthError` (`auth:discovery_failed`, `auth:issuer_mismatch`, `auth:timeout`).
 *
 * ```ts
 * const { url, attempt } = await startLogin({ authUrl, clientId, redirectUri: "https://app.example.com/callback" });
 * ```
 */
export const startLogin = async (options: StartLoginOptions): Promise<StartedLogin> =>
  beginLogin(readOAuthSettings(options), options);

/** The same with settings that were read before. */
export const beginLogin = async (
  settings: OAuthSettings,
  { redirectUri, scopes = defaultScopes, signal }: Omit<StartLoginOptions, keyof OAuthOptions>,
): Promise<StartedLogin> => {
  const { begin } = await import("./protocol.js");
  return begin(settings, { redirectUri, scopes: [...scopes] }, signal);
};

/**
 * Ends a login: checks that the callback answers the attempt (`state`, and `iss` where the server sends it), redeems its code,
 * and keeps the credential in `store`. Throws `AuthError`: `auth:denied` when the user said no, `auth:state_mismatch`,
 * `auth:issuer_mismatch` and `auth:callback_invalid` for a callback that is not the answer, before anything is sent;
 * `auth:login_failed`, `auth:discovery_failed` and `auth:timeout` for what the server does; and what the store throws, if
 * possible before the code is used.
 */
export const finishLogin = async (options: FinishLoginOptions): Promise<Credential> =>
  endLogin(readOAuthSettings(options), options);

/** The same with settings that were read before. */
export const endLogin = async (
  settings: OAuthSettings,
  { attempt, callback, store, signal }: Omit<FinishLoginOptions, keyof OAuthOptions>,
): Promise<Credential> => {
  const parameters = queryOf(callback, attempt, settings);
  await probe(store, signal);
  const { finish } = await import("./protocol.js");
  const credential = await finish(settings, attempt, parameters, signal);
  if (store) await keep(store, credential, settings.timeoutMs);
  return credential;
};

const queryOf = (
  callback: FinishLoginOptions["callback"],
  { state, redirectUri }: LoginAttempt,
  { issuer }: OAuthSettings,
): URLSearchParams => {
  if (typeof callback === "object" && "code" in callback) {
    return new URLSearchParams({ code: callback.code, state, iss: issuer });
  }
  if (!URL.canParse(String(callback), redirectUri)) throw authErrors.callback("is no address");
  return new URL(callback, redirectUri).searchParams;
};

/** Throws what the store would throw, or the signal's reason, whichever is first: a store may ask its user something. */
export const probe = (store: TokenStore | undefined, signal: AbortSignal | undefined): Promise<void> =>
  whileStoreWorks(Number.POSITIVE_INFINITY, signal, async () => store?.probe?.());

/**
 * The code is used: nothing but the store's own refusal may keep the credential from it. A refresh that hangs holds the lock
 * for up to twice the settings' time.
 */
const keep = (store: TokenStore, credential: Credential, timeoutMs: number): Promise<void> =>
  whileStoreWorks(3 * timeoutMs, undefined, (limit) =>
    exclusively(store, limit, async () => {
      await store.write(credential);
      sessionOf(store).replace(credential);
    }),
  );

const whileStoreWorks = (
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (limit: AbortSignal) => Promise<void>,
): Promise<void> => {
  const timedOut = (): Error =>
    authErrors.storeTimeout(timeoutMs, "The code is used up: begin a new login when the store works.");
  return withDeadline({ signal, timeoutMs, timedOut }, work);
};
