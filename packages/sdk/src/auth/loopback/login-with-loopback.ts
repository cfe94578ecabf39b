import { readTimeout } from "../../request/deadline.js";
import { withDeadline } from "../../request/with-deadline.js";
import type { Credential } from "../credential.js";
import { authErrors } from "../errors.js";
import { type LoginOptions, beginLogin, endLogin, probe } from "../login.js";
import { readOAuthSettings } from "../oauth-settings.js";
import type { TokenStore } from "../token-store.js";

export interface LoopbackLoginOptions extends LoginOptions {
  /**
   * Brings the user's browser to the address: opens it, prints it, or both. The address is no secret. What it throws ends the
   * login.
   */
  open: (url: string) => void | Promise<void>;
  /** Where the credential goes. Default: only to the caller. */
  store?: TokenStore | undefined;
  /** Milliseconds that the user may take. Default: 300,000. */
  userTimeoutMs?: number | undefined;
}

/**
 * Logs in through the user's browser, for programs on the same machine (RFC 8252): listens on a free port of 127.0.0.1, has
 * the login page opened, waits for the browser to come back, shows a closing page there, and keeps the credential in
 * `store`. The client must have registered `http://127.0.0.1/callback`. Nothing listens any more when it has ended.
 *
 * Strangers that come to the port, and callbacks of other logins, are turned away, and the wait goes on. Throws `AuthError`:
 * `auth:timeout` when nobody logs in, `auth:denied`, `auth:listen_failed`, and all that `startLogin` and `finishLogin` throw; a
 * store that cannot be written is noticed before the browser opens. When `signal` is aborted, its own reason is thrown.
 */
export const loginWithLoopback = async (options: LoopbackLoginOptions): Promise<Credential> => {
  const settings = readOAuthSettings(options);
  const { open, store, scopes, signal } = options;
  const timeoutMs = readTimeout(options.userTimeoutMs ?? 300_000, "userTimeoutMs");
  const timedOut = (): Error => authErrors.userTimeout(timeoutMs);
  await probe(store, signal);
  // Programs that are logged in already do not pay for a server.
  const { startCallbackServer } = await import("./callback-server.js");
  const server = await startCallbackServer();
  const { redirectUri } = server;
  try {
    return await withDeadline({ signal, timeoutMs, timedOut }, async (limit) => {
      const { url, attempt } = await beginLogin(settings, { redirectUri, scopes, signal: limit });
      const credential = new Promise<Credential>((resolve, reject) => {
        server.expect(attempt.state, (callback) => {
          const finished = endLogin(settings, { attempt, callback, store, signal: limit });
          finished.then(resolve, reject);
          return finished;
        });
      });
      // Some wait until the browser is closed again: the login does not, but it ends when nothing could be opened.
      return Promise.race([
        credential,
        Promise.resolve(url)
          .then(open)
          .then(() => credential),
      ]);
    });
  } finally {
    await server.close();
  }
};
