import { findClient } from "./client-authentication.js";
import type { ClientRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { type OAuthError, oauthErrors } from "./oauth-error.js";
import { type OAuthParameters, encodeParameters, assertNotRepeated } from "./parameters.js";
import { parseChallenge } from "./pkce.js";
import { isAllowedRedirectUri } from "./redirect-uris.js";
import { parseScopes } from "./scopes.js";

/** Where the response to an authorization request goes: to a registered redirect URI of a client. `state` is not checked yet. */
export interface ResponseTarget {
  readonly client: ClientRow;
  readonly redirectUri: string;
  /** Whether the request contained `redirect_uri`. If so, the token request must repeat it. */
  readonly hasRedirectUriParameter: boolean;
  readonly state: string | undefined;
}

export interface AuthorizationRequest extends ResponseTarget {
  readonly scopes: readonly string[];
  readonly codeChallenge: string | null;
}

/**
 * Finds the client of an authorization request and checks its redirect URI. Throws `invalid_request` when either is
 * missing, repeated or not registered. This error is shown to the user and never sent to a redirect URI. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1.
 */
export const resolveResponseTarget = (
  store: Pick<Store, "clients">,
  parameters: OAuthParameters,
): ResponseTarget => {
  assertNotRepeated(parameters, ["client_id", "redirect_uri"]);
  const clientId = parameters.get("client_id");
  if (clientId === undefined) throw oauthErrors.missingParameter("client_id");
  const client = findClient(store, clientId);
  if (!client) throw oauthErrors.clientNotRegistered();

  const requestedUri = parameters.get("redirect_uri");
  if (requestedUri !== undefined && !isAllowedRedirectUri(client, requestedUri))
    throw oauthErrors.redirectUriNotRegistered(requestedUri);
  const [firstRegisteredUri, ...otherRegisteredUris] = client.redirectUris;
  const redirectUri = requestedUri ?? (otherRegisteredUris.length === 0 ? firstRegisteredUri : undefined);
  if (redirectUri === undefined) throw oauthErrors.redirectUriRequired();
  return {
    client,
    redirectUri,
    hasRedirectUriParameter: requestedUri !== undefined,
    state: parameters.get("state"),
  };
};

/** Parses the remaining parameters. Throws errors that are reported to the client in a redirect. */
export const parseAuthorizationRequest = (
  parameters: OAuthParameters,
  target: ResponseTarget,
): AuthorizationRequest => {
  assertNotRepeated(parameters, [
    "state",
    "response_type",
    "response_mode",
    "scope",
    "code_challenge",
    "code_challenge_method",
  ]);
  const responseType = parameters.get("response_type");
  if (responseType === undefined) throw oauthErrors.missingParameter("response_type");
  if (responseType !== "code") throw oauthErrors.unsupportedResponseType();
  if ((parameters.get("response_mode") ?? "query") !== "query") throw oauthErrors.unsupportedResponseMode();
  const codeChallenge = parseChallenge(parameters, target.client.secretHash === null);
  return { ...target, codeChallenge, scopes: parseScopes(parameters.get("scope")) };
};

/**
 * Returns the redirect URI with a code or an error, `state` and `iss` added to its query. See
 * https://www.rfc-editor.org/rfc/rfc9207.
 */
export const buildResponseLocation = (
  { redirectUri, state }: ResponseTarget,
  issuer: string,
  codeOrError: { code: string } | OAuthError,
): string => {
  const fields =
    "description" in codeOrError
      ? { error: codeOrError.code, error_description: codeOrError.description }
      : { code: codeOrError.code };
  const query = encodeParameters({ ...fields, state, iss: issuer });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`;
};
