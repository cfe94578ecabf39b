import { TokenError } from "./token-error.js";

// Apart from the class, because these are loaded on demand.

/** Makes the error for a token that cannot be sent. It never quotes the token. */
export const malformedTokenError = (): TokenError =>
  new TokenError("The token is empty or has characters that are not allowed in a header", {
    hint: "Check for a line break or a leading `Bearer `.",
    advice: "check_token",
  });

/** Makes the error for a call that has no token, and none in the environment that is for its service. */
export const missingTokenError = (isForOtherService: boolean): TokenError =>
  new TokenError("There is no token to send", {
    code: "token:missing",
    hint: isForOtherService
      ? "Pass token. MGMT_TOKEN is not used, because MGMT_BASE_URL is the URL of another service."
      : "Pass token, or set MGMT_TOKEN. On a developer's machine, pass await cliLogin() of @mgmt/sdk/auth/node, which uses the login of the CLI. To send no credential, pass token: false.",
    advice: "set_token",
  });

/** Makes the error for an error of the `token` function. A `TokenError` is returned unchanged. */
export const tokenFunctionError = (cause: unknown): TokenError =>
  cause instanceof TokenError
    ? cause
    : new TokenError("The token function failed", {
        hint: "See `cause`.",
        cause,
      });
