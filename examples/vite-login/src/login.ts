import {
  LoginRequiredError,
  type LoginAttempt,
  browserStore,
  createAuthenticator,
  finishLogin,
  logout,
  startLogin,
} from "@mgmt/sdk/auth";

export interface Settings {
  /** URL of the authorization server. */
  authUrl: string;
  /** Id of a public client. */
  clientId: string;
  /** Address of a page of the app that runs this code. It must be a redirect URI of the client. */
  redirectUri: string;
}

const attemptKey = "login-attempt";

/** What the tab keeps until the visitor returns. */
interface PendingLogin {
  attempt: LoginAttempt;
  /** Address of the page that the visitor left. */
  from: string;
}

/** The session storage of this tab. The login survives a reload, and ends with the tab. */
const store = browserStore();

/** Sends the visitor to the authorization server. Throws `TokenStoreError` if the browser would not keep the login. */
export const logIn = async (settings: Settings): Promise<void> => {
  await store.probe?.();
  const { url, attempt } = await startLogin(settings);
  const pending: PendingLogin = { attempt, from: location.href };
  sessionStorage.setItem(attemptKey, JSON.stringify(pending));
  location.assign(url);
};

/**
 * Returns the source of tokens for a client, or undefined if the visitor has to log in. Finishes the login if the visitor has returned
 * from the authorization server. Throws `AuthError` if the login failed, and `TokenStoreError` if the browser blocks the storage.
 */
export const currentLogin = async (settings: Settings) => {
  await store.read(); // fails where `sessionStorage` would, with an error that says what to do
  await finishPendingLogin(settings);
  const { token } = createAuthenticator({ ...settings, store });
  try {
    await token();
    return token;
  } catch (error) {
    if (error instanceof LoginRequiredError) return undefined;
    throw error;
  }
};

/** Ends the login, also on the server. */
export const logOut = (settings: Settings): Promise<void> => logout({ ...settings, store });

const finishPendingLogin = async (settings: Settings): Promise<void> => {
  const stored = sessionStorage.getItem(attemptKey);
  sessionStorage.removeItem(attemptKey); // valid only once
  if (stored === null || !/[?&](?:code|error)=/.test(location.search)) return;
  const callback = location.href;
  // `logIn` has stored it.
  const { attempt, from } = JSON.parse(stored) as PendingLogin;
  history.replaceState(null, "", from); // keeps the code out of the history
  await finishLogin({ ...settings, attempt, callback, store });
};
