import { validateTimeout } from "../../deadlines/deadline.js";
import { withDeadline } from "../../deadlines/with-deadline.js";
import { throwNotLoaded } from "../../errors/not-loaded.js";
import type { Credential } from "../credential.js";
import { authErrors } from "../errors.js";
import {
  type LoginOptions,
  startLoginWithSettings,
  finishLoginWithSettings,
  assertStoreWritable,
} from "../login.js";
import { readOAuthSettings } from "../oauth-settings.js";
import type { TokenStore } from "../token-store.js";

export interface LoopbackLoginOptions extends LoginOptions {
  /**
   * Opens the URL in the user's browser, prints it, or both. The URL is not a secret. An error thrown here ends the
   * login.
   */
  open: (url: string) => void | Promise<void>;
  /** Where to store the credential. Default: it is only returned. */
  store?: TokenStore | undefined;
  /** Time that the user has to log in, in milliseconds. Default: 300,000. */
  userTimeoutMs?: number | undefined;
}

/**
 * Logs in through the user's browser, for programs on the same machine
 * ([RFC 8252](https://www.rfc-editor.org/rfc/rfc8252)). Listens on a free port of 127.0.0.1, opens the login page, waits
 * for the callback, shows a closing page and saves the credential in `store`. The client must have registered
 * `http://127.0.0.1/callback`. The port is closed when the promise settles.
 *
 * Unrelated requests and callbacks of other logins are rejected, and the wait continues. Throws `AuthError`:
 * `auth:timeout` if no one logs in, `auth:denied`, `auth:listen_failed`, and the errors of `startLogin` and
 * `finishLogin`. A store that cannot be written is detected before the browser opens. If `signal` is aborted, throws
 * the reason of the signal.
 */
export const loginWithLoopback = async (options: LoopbackLoginOptions): Promise<Credential> => {
  const settings = readOAuthSettings(options);
  const { open, store, scopes, signal } = options;
  const timeoutMs = validateTimeout(options.userTimeoutMs ?? 300_000, "userTimeoutMs");
  const createTimeoutError = (): Error => authErrors.userTimeout(timeoutMs);
  await assertStoreWritable(store, signal);
  // Loaded on demand: programs that are already logged in need no server.
  const { startCallbackServer } = await import("./callback-server.js").catch(throwNotLoaded);
  const server = await startCallbackServer();
  const { redirectUri } = server;
  try {
    return await withDeadline(
      { signals: [signal], timeoutMs, onTimeout: createTimeoutError },
      async (deadlineSignal) => {
        const { url, attempt } = await startLoginWithSettings(settings, {
          redirectUri,
          scopes,
          signal: deadlineSignal,
        });
        const credentialPromise = new Promise<Credential>((resolve, reject) => {
          server.expect(attempt.state, (callback) => {
            const finishedLogin = finishLoginWithSettings(settings, {
              attempt,
              callback,
              store,
              signal: deadlineSignal,
            });
            finishedLogin.then(resolve, reject);
            return finishedLogin;
          });
        });
        // `open` may not return until the browser is closed. The login does not wait for it, but fails if it throws.
        return Promise.race([
          credentialPromise,
          Promise.resolve(url)
            .then(open)
            .then(() => credentialPromise),
        ]);
      },
    );
  } finally {
    await server.close();
  }
};
