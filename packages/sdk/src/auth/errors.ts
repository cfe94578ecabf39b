import { AuthError, type AuthErrorCode, LoginRequiredError, TokenStoreError } from "./auth-error.js";

/** The purpose of a request to the authorization server. */
export type Stage = "discovery" | "login" | "refresh" | "revoke";

const serverHint = "Check authUrl, and that the authorization server works and can be reached.";
const hints: Readonly<Record<Stage, string>> = {
  discovery: `${serverHint} For one without metadata, give its endpoints.`,
  login: `${serverHint} Then begin a new login: a code can be used once.`,
  refresh: `${serverHint} The login was kept; the next call tries again.`,
  revoke: "It is forgotten here. It ends by itself, or at once when the integration is deleted.",
};

/** Creates every `AuthError`, except file errors (`file-errors.ts`). */
export const authErrors = {
  notLoggedIn: () => new LoginRequiredError("Nobody is logged in"),
  ended: () => new LoginRequiredError("The access token has ended, and there is no refresh token"),
  refused: (cause: AuthError) =>
    new LoginRequiredError("The authorization server does not honour the login any more", cause),

  otherIssuer: (found: string, expected: string) =>
    new AuthError("auth:issuer_mismatch", `The stored login is of ${found}, not of ${expected}`, {
      hint: "Give each authorization server a store of its own, or log in again.",
      advice: "check_auth_url",
    }),
  otherClient: () =>
    new AuthError("auth:issuer_mismatch", "The stored login was given to another client", {
      hint: "Give each clientId a store of its own, or log in again.",
      advice: "check_client_id",
    }),

  metadataIssuer: (issuer: string) =>
    new AuthError("auth:issuer_mismatch", `The metadata found at ${issuer} is another server's`, {
      hint: "Use the server's own name for itself as authUrl: localhost is not 127.0.0.1.",
      advice: "check_auth_url",
    }),

  state: () =>
    new AuthError("auth:state_mismatch", "The callback does not belong to the login that was begun", {
      hint: "Begin a new login. If nobody began two, somebody may have tried to slip in theirs.",
      advice: "log_in",
    }),
  callbackIssuer: (expected: string) =>
    new AuthError("auth:issuer_mismatch", `The callback does not come from ${expected}`, {
      hint: "Check authUrl, and begin a new login. Its code was sent nowhere.",
      advice: "check_auth_url",
    }),
  callback: (problem: string) =>
    new AuthError("auth:callback_invalid", `The callback ${problem}`, {
      hint: "Hand over the whole address that the browser was sent to.",
    }),
  denied: (oauthError: string, description: string | undefined) =>
    new AuthError(
      oauthError === "access_denied" ? "auth:denied" : "auth:login_failed",
      `The login ended with ${oauthError}${description === undefined ? "" : `: ${description}`}`,
      { hint: "Begin a new login, and allow it.", advice: "log_in", oauthError },
    ),

  userTimeout: (timeoutMs: number) =>
    new AuthError("auth:timeout", `Nobody logged in within ${timeoutMs} ms`, {
      hint: "Begin a new login, or allow more time for it.",
      advice: "log_in",
    }),
  serverTimeout: (asked: string, timeoutMs: number) =>
    new AuthError("auth:timeout", `${asked} got no whole answer within ${timeoutMs} ms`, {
      hint: serverHint,
      advice: "check_auth_url",
    }),
  noToken: (timeoutMs: number, waitingFor: string) =>
    new AuthError("auth:timeout", `No token within ${timeoutMs} ms: still waiting for ${waitingFor}`, {
      hint: "Nothing was sent to the service. The wait goes on for other calls.",
    }),

  storeTimeout: (timeoutMs: number, hint: string) =>
    new AuthError("auth:timeout", `The store was not ready within ${timeoutMs} ms`, { hint }),

  failed: (stage: Stage, problem: string, answer: { oauthError?: string | undefined; status?: number }) =>
    new AuthError(codes[stage], problem, {
      hint: hints[stage],
      ...(stage !== "revoke" && { advice: "check_auth_url" }),
      ...answer,
    }),
  notRevoked: (cause: AuthError) =>
    new AuthError("auth:revoke_failed", `The login is forgotten, but may still hold: ${cause.message}`, {
      hint: hints.revoke,
      cause,
      oauthError: cause.oauthError,
      status: cause.status,
    }),
  listen: (reason: string) =>
    new AuthError("auth:listen_failed", `The program cannot listen on 127.0.0.1 (${reason})`, {
      hint: "Use startLogin and finishLogin, and let the user bring the address.",
      advice: "log_in_manually",
    }),
  corrupt: (where: string, problem: string) =>
    new TokenStoreError("auth:store_corrupt", `${where} holds no credential: it ${problem}`, {
      hint: "It was left as it is. Log in again to replace it.",
      advice: "log_in",
    }),
};

const codes: Readonly<Record<Stage, AuthErrorCode>> = {
  discovery: "auth:discovery_failed",
  login: "auth:login_failed",
  refresh: "auth:refresh_failed",
  revoke: "auth:revoke_failed",
};
