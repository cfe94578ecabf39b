import type { MgmtError } from "../errors/mgmt-error.js";
import {
  AuthError,
  type AuthErrorCode,
  type AuthErrorInit,
  LoginRequiredError,
  TokenStoreError,
} from "./auth-error.js";

/** The purpose of a request to the authorization server. */
export type OAuthStage = "discovery" | "login" | "refresh" | "revoke";

const checkServerHint = "Check authUrl, and that the authorization server is running and reachable.";
const hintsByStage: Readonly<Record<OAuthStage, string>> = {
  discovery: `${checkServerHint} For a server without metadata, set endpoints.`,
  login: `${checkServerHint} Then start a new login.`,
  refresh: `${checkServerHint} The login was not changed; the next call tries again.`,
  revoke:
    "It was removed from the store. On the server, it ends when it expires or when its integration is deleted.",
};

const invalidGrantAdvice = { hint: "Start a new login and approve it.", advice: "log_in" } as const;

/** Creates every `AuthError`, except the errors of files (`file-errors.ts`) and of browser storage (`storage-errors.ts`). */
export const authErrors = {
  notLoggedIn: () => new LoginRequiredError("There is no stored login"),
  noRefreshToken: () => new LoginRequiredError("The access token has expired, and there is no refresh token"),
  loginRejected: (cause: AuthError) =>
    new LoginRequiredError("The authorization server no longer accepts the login", cause),

  otherIssuer: (actual: string, expected: string) =>
    new AuthError("auth:issuer_mismatch", `The stored login was issued by ${actual}, not by ${expected}`, {
      hint: "Use a separate store for each authorization server, or log in again.",
      advice: "check_auth_url",
    }),
  otherClient: () =>
    new AuthError("auth:issuer_mismatch", "The stored login was issued to another client", {
      hint: "Use a separate store for each clientId, or log in again.",
      advice: "check_client_id",
    }),

  otherMetadata: (issuer: string) =>
    new AuthError("auth:issuer_mismatch", `The server at ${issuer} names another issuer`, {
      hint: "Set authUrl to the issuer exactly as the server names it, with or without a slash at its end: localhost is not 127.0.0.1.",
      advice: "check_auth_url",
    }),

  otherOrigin: (issuer: string, endpoint: string) =>
    new AuthError(
      "auth:discovery_failed",
      `The metadata of ${issuer} names a ${endpoint} on another origin`,
      {
        hint: "No code or token was sent there. If you trust that URL, set endpoints.",
        advice: "check_auth_url",
      },
    ),

  otherState: () =>
    new AuthError("auth:state_mismatch", "The callback URL does not belong to this login", {
      hint: "Start a new login. If you started only one, it may be an attack.",
      advice: "log_in",
    }),
  otherCallback: (expected: string) =>
    new AuthError("auth:issuer_mismatch", `The callback URL does not come from ${expected}`, {
      hint: "Check authUrl, and start a new login. The code was not sent anywhere.",
      advice: "check_auth_url",
    }),
  invalidCallback: (problem: string) =>
    new AuthError("auth:callback_invalid", `The callback URL ${problem}`, {
      hint: "Pass the complete URL that the browser was redirected to.",
    }),
  loginDenied: (oauthError: string, description: string | undefined) =>
    new AuthError(
      oauthError === "access_denied" ? "auth:denied" : "auth:login_failed",
      `The login ended with ${oauthError}${description === undefined ? "" : `: ${description}`}`,
      { hint: "Start a new login and approve it.", advice: "log_in", oauthError },
    ),

  userTimeout: (timeoutMs: number) =>
    new AuthError("auth:timeout", `The login was not finished within ${timeoutMs} ms`, {
      hint: "Start a new login, or allow more time for it.",
      advice: "log_in",
    }),
  serverTimeout: (request: string, timeoutMs: number) =>
    new AuthError("auth:timeout", `${request} got no complete response within ${timeoutMs} ms`, {
      hint: checkServerHint,
      advice: "check_auth_url",
    }),
  noToken: (timeoutMs: number, waitingFor: string) =>
    new AuthError("auth:timeout", `Got no token within ${timeoutMs} ms: still waiting for ${waitingFor}`, {
      hint: "Nothing was sent. The refresh continues for other calls.",
    }),

  storeTimeout: (timeoutMs: number, hint: string) =>
    new AuthError("auth:timeout", `The store was not ready within ${timeoutMs} ms`, { hint }),

  requestFailed: (
    stage: OAuthStage,
    problem: string,
    response: { oauthError?: string | undefined; status?: number },
  ) =>
    new AuthError(errorCodesByStage[stage], problem, {
      hint: hintsByStage[stage],
      ...(stage !== "revoke" && { advice: "check_auth_url" }),
      ...(response.oauthError === "invalid_grant" && invalidGrantAdvice),
      ...response,
    }),
  notRevoked: (cause: MgmtError & Pick<AuthErrorInit, "oauthError" | "status">) =>
    new AuthError(
      "auth:revoke_failed",
      `The login was removed from the store, but may still be valid: ${cause.message}`,
      {
        hint: hintsByStage.revoke,
        cause,
        oauthError: cause.oauthError,
        status: cause.status,
      },
    ),
  listenFailed: (reason: string) =>
    new AuthError("auth:listen_failed", `The program cannot listen on 127.0.0.1 (${reason})`, {
      hint: "Use startLogin and finishLogin, and let the user paste the URL.",
      advice: "log_in_manually",
    }),
  corruptStore: (source: string, problem: string) =>
    new TokenStoreError("auth:store_corrupt", `${source} does not contain a credential: it ${problem}`, {
      hint: "It was not changed. Log in again to replace it.",
      advice: "log_in",
    }),
};

const errorCodesByStage: Readonly<Record<OAuthStage, AuthErrorCode>> = {
  discovery: "auth:discovery_failed",
  login: "auth:login_failed",
  refresh: "auth:refresh_failed",
  revoke: "auth:revoke_failed",
};
