import { type LoginAttempt, createAuthenticator, finishLogin, memoryStore, startLogin } from "@mgmt/sdk/auth";

export interface Settings {
  /** URL of the authorization server. */
  authUrl: string;
  /** Id of a public client. The address of this page, without its query, must be a redirect URI of it. */
  clientId: string;
}

const attemptKey = "login-attempt";

/** Sends the visitor to the authorization server. */
export const logIn = async (settings: Settings): Promise<void> => {
  const { url, attempt } = await startLogin({
    ...settings,
    redirectUri: location.origin + location.pathname,
  });
  sessionStorage.setItem(attemptKey, JSON.stringify(attempt));
  location.assign(url);
};

/**
 * Finishes the login if the visitor has returned from the authorization server. Returns the source of tokens for a client, or
 * undefined if the visitor has to log in. Throws `AuthError` if the login failed. The login ends with the page, because it is
 * kept in memory only.
 */
export const finishPendingLogin = async (settings: Settings) => {
  const stored = sessionStorage.getItem(attemptKey);
  sessionStorage.removeItem(attemptKey); // valid only once
  if (stored === null || !/[?&](?:code|error)=/.test(location.search)) return undefined;
  const callback = location.href;
  history.replaceState(null, "", location.pathname); // keeps the code out of the history
  const store = memoryStore();
  // `logIn` has stored it.
  const attempt = JSON.parse(stored) as LoginAttempt;
  await finishLogin({ ...settings, attempt, callback, store });
  return createAuthenticator({ ...settings, store }).token;
};
