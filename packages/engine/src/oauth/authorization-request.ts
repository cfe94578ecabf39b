import { findClient } from "./client-authentication.js";
import type { ClientRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { type OAuthError, oauthErrors } from "./oauth-error.js";
import { type Parameters, encodeParameters, assertNotRepeated } from "./parameters.js";
import { parseChallenge } from "./pkce.js";
import { isRegisteredUri } from "./redirect-uris.js";
import { parseScopes } from "./scopes.js";

/** The validated client and redirect URI that receive the response to an authorization request. */
export interface RedirectTarget {
  readonly client: ClientRow;
  readonly redirectUri: string;
  /** Whether the request contained `redirect_uri`. If so, the token request must repeat it. */
  readonly hasRedirectParameter: boolean;
  readonly state: string | undefined;
}

export interface AuthorizationRequest extends RedirectTarget {
  readonly scopes: readonly string[];
  readonly codeChallenge: string | null;
}

/**
 * Reads the client and the redirect URI of an authorization request. Throws `invalid_request` when either is
 * missing, repeated or not registered. This error is shown to the user and never sent to a redirect URI. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1.
 */
export const parseRedirectTarget = (
  store: Pick<Store, "clients">,
  parameters: Parameters,
): RedirectTarget => {
  assertNotRepeated(parameters, ["client_id", "redirect_uri"]);
  const clientId = parameters.get("client_id");
  if (clientId === undefined) throw oauthErrors.missing("client_id");
  const client = findClient(store, clientId);
  if (!client) throw oauthErrors.clientNotRegistered();

  const requestedUri = parameters.get("redirect_uri");
  if (requestedUri !== undefined && !isRegisteredUri(client, requestedUri))
    throw oauthErrors.redirectNotRegistered(requestedUri);
  const [firstRegisteredUri, ...otherRegisteredUris] = client.redirectUris;
  const redirectUri = requestedUri ?? (otherRegisteredUris.length === 0 ? firstRegisteredUri : undefined);
  if (redirectUri === undefined) throw oauthErrors.redirectNeeded();
  return {
    client,
    redirectUri,
    hasRedirectParameter: requestedUri !== undefined,
    state: parameters.get("state"),
  };
};

/** Reads the remaining parameters. Throws errors that are reported to the client in a redirect. */
export const parseAuthorizationRequest = (
  parameters: Parameters,
  target: RedirectTarget,
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
  if (responseType === undefined) throw oauthErrors.missing("response_type");
  if (responseType !== "code") throw oauthErrors.responseType();
  if ((parameters.get("response_mode") ?? "query") !== "query") throw oauthErrors.responseMode();
  const codeChallenge = parseChallenge(parameters, target.client.secretHash === null);
  return { ...target, codeChallenge, scopes: parseScopes(parameters.get("scope")) };
};

/**
 * Returns the redirect URI with a code or an error, `state` and `iss` added to its query. See
 * https://www.rfc-editor.org/rfc/rfc9207.
 */
export const buildResponseLocation = (
  { redirectUri, state }: RedirectTarget,
  issuer: string,
  result: { code: string } | OAuthError,
): string => {
  const fields =
    "description" in result
      ? { error: result.code, error_description: result.description }
      : { code: result.code };
  const query = encodeParameters({ ...fields, state, iss: issuer });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`;
};
