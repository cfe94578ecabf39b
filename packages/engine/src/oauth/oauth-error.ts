import { escapeUnsafe } from "@mgmt/internal/text/unsafe-characters";

/**
 * The error codes that this server returns. See https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 and
 * https://www.rfc-editor.org/rfc/rfc6749#section-5.2.
 */
export type OAuthErrorCode =
  | "access_denied"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_request"
  | "invalid_scope"
  | "server_error"
  | "temporarily_unavailable"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/**
 * An error of the authorization server. Its description contains only the characters that `error_description`
 * allows; see https://www.rfc-editor.org/rfc/rfc6749#section-5.2.
 */
export class OAuthError extends Error {
  override readonly name = "OAuthError";

  constructor(
    readonly code: OAuthErrorCode,
    readonly description: string,
    /** HTTP status. The authorization endpoint reports errors in redirects and ignores it. */
    readonly status = 400,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(description);
  }
}

const invalidClientError = (description: string): OAuthError =>
  new OAuthError("invalid_client", description, 401, {
    "www-authenticate": 'Basic realm="token endpoint", charset="UTF-8"',
  });
const invalidGrantError = (description: string): OAuthError => new OAuthError("invalid_grant", description);
const invalidRequestError = (description: string): OAuthError =>
  new OAuthError("invalid_request", description);

/** Builds the errors of the authorization server, with the codes of RFC 6749 and its extensions. */
export const oauthErrors = {
  // Any request
  missingParameter: (name: string) => invalidRequestError(`The parameter ${name} is missing`),
  repeatedParameter: (name: string) => invalidRequestError(`The parameter ${name} is repeated`),
  undecodableParameters: () => invalidRequestError("The parameters are not percent-encoded UTF-8"),
  notAForm: () =>
    invalidRequestError("Send the parameters as application/x-www-form-urlencoded, in the body"),
  unsupportedContentEncoding: () =>
    invalidRequestError("Send the body without compression, and without the header Content-Encoding"),
  tooLarge: (cap: number) =>
    new OAuthError("invalid_request", `The body is larger than ${String(cap)} bytes`, 413),
  wrongMethod: (allowed: readonly string[]) =>
    new OAuthError("invalid_request", `This endpoint supports only ${allowed.join(" and ")}`, 405, {
      allow: allowed.join(", "),
    }),
  serverError: () => new OAuthError("server_error", "The server failed; see its log", 500),
  unavailable: () =>
    new OAuthError(
      "temporarily_unavailable",
      "The server cannot process the request now: send it again after 1 s",
      503,
      { "retry-after": "1" },
    ),

  // Clients
  noClient: () =>
    invalidClientError("The request does not identify a client: send client_id, or authenticate the client"),
  unknownClient: () => invalidClientError("The client does not exist"),
  secretMissing: () => invalidClientError("This client is confidential: send its secret"),
  secretUnexpected: () => invalidClientError("This client is public and has no secret: send only client_id"),
  secretWrong: () => invalidClientError("The client secret is wrong"),
  unsupportedScheme: () => invalidClientError("Authenticate the client with HTTP Basic, or in the body"),
  malformedBasic: () =>
    invalidClientError("The Basic credentials must be the Base64 encoding of the form-encoded id and secret"),
  twoAuthentications: () =>
    invalidRequestError("Authenticate the client either in the header or in the body, not in both"),
  clientIdMismatch: () =>
    invalidRequestError("client_id does not match the client in the Authorization header"),

  // Authorization requests
  clientNotRegistered: () => invalidRequestError("No client with this client_id is registered"),
  redirectUriNotRegistered: (uri: string) =>
    invalidRequestError(
      `The redirect_uri ${escapeUnsafe(uri.slice(0, 200))} is not registered for the client`,
    ),
  redirectUriRequired: () => invalidRequestError("redirect_uri is required unless exactly one is registered"),
  unsupportedResponseType: () =>
    new OAuthError("unsupported_response_type", "Only response_type=code is supported"),
  unsupportedResponseMode: () => invalidRequestError("Only response_mode=query is supported"),
  challengeRequired: () =>
    invalidRequestError("PKCE is mandatory for public clients: send code_challenge with method S256"),
  unsupportedChallengeMethod: () =>
    invalidRequestError("Send code_challenge_method=S256, which is the only supported method"),
  challengeMalformed: () =>
    invalidRequestError("code_challenge must be the base64url SHA-256 digest of a verifier, 43 characters"),
  methodWithoutChallenge: () => invalidRequestError("code_challenge_method requires code_challenge"),
  unknownScope: (known: readonly string[]) =>
    new OAuthError("invalid_scope", `The scope must be one or more of ${known.join(", ")}`),
  accessDenied: () => new OAuthError("access_denied", "The user denied access"),

  // Grants
  unsupportedGrantType: () =>
    new OAuthError("unsupported_grant_type", "Only authorization_code and refresh_token are supported"),
  codeUnknown: () => invalidGrantError("The code is unknown or was issued to another client"),
  codeExpired: () => invalidGrantError("The code has expired; request a new one"),
  codeUsed: () => invalidGrantError("The code was already used; the tokens issued for it are revoked"),
  redirectUriMismatch: () => invalidGrantError("redirect_uri does not match the authorization request"),
  verifierWrong: () => invalidGrantError("code_verifier does not match code_challenge"),
  verifierRequired: () => invalidGrantError("The authorization request used PKCE: send code_verifier"),
  verifierUnexpected: () => invalidGrantError("The authorization request had no code_challenge"),
  refreshUnknown: () =>
    invalidGrantError("The refresh token is unknown, revoked, or issued to another client"),
  refreshExpired: () => invalidGrantError("The refresh token has expired; log in again"),
  refreshReplayed: () =>
    invalidGrantError("The refresh token was already used; all tokens of this login are revoked"),
  consentWithdrawn: () => invalidGrantError("The consent was withdrawn; log in again"),
  scopeWidened: () => new OAuthError("invalid_scope", "The scope exceeds what was granted"),
  tokenOfOtherClient: () => invalidGrantError("The token was issued to another client"),
};

/** Returns the result of `callback`, or the `OAuthError` that it throws. Other errors are rethrown. */
export const catchOAuthError = <T>(callback: () => T): T | OAuthError => {
  try {
    return callback();
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
};
