import { type TokenClaims, type TokenSigner, buildTokenClaims } from "../context/access-token.js";
import type { PipelineOutcome } from "../values/message.js";
import { computeDigest } from "../values/digest.js";
import type { EndpointContext } from "../context/endpoint.js";
import type { OperationContext } from "../context/operation-context.js";
import type { ClientRow, GrantRow } from "../store/rows.js";
import { type ClientRequest, authenticateClient } from "./client-authentication.js";
import { computeGrantEnd } from "./grant-deletion.js";
import { type IssuedGrant, redeemCode, redeemRefreshToken } from "./grants.js";
import { oauthErrors } from "./oauth-error.js";
import type { OAuthParameters } from "./parameters.js";
import { createJsonResponse } from "./responses.js";
import { formatScopes } from "./scopes.js";

const nonRepeatableParameters = [
  "grant_type",
  "client_id",
  "client_secret",
  "code",
  "redirect_uri",
  "code_verifier",
  "refresh_token",
  "scope",
];

/**
 * Exchanges an authorization code or a refresh token for an access token. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 and https://www.rfc-editor.org/rfc/rfc6749#section-6.
 *
 * @throws OAuthError
 */
export const issueToken = async (
  endpointContext: EndpointContext,
  signer: TokenSigner,
  request: ClientRequest,
): Promise<PipelineOutcome> => {
  const { settings } = endpointContext;
  const { parameters } = request;
  const secrets = [parameters.get("code"), parameters.get("refresh_token")];
  const locks = secrets.flatMap((secret) => (secret === undefined ? [] : [computeDigest(secret)]));
  const issuedTokens = await endpointContext.transact({ mode: "write", locks }, (context) => {
    const client = authenticateClient(context.store, request, nonRepeatableParameters);
    const { grant, ...tokens } = redeemGrant(context, client, request);
    const now = context.clock.now();
    const { accessToken } = settings.oauth;
    // No access token outlives the last refresh of its grant.
    const lifetimeMs = Math.min(accessToken, computeGrantEnd(grant, settings.oauth) - now);
    return {
      claims: buildClaims(context, grant, tokens.scopes, now + lifetimeMs),
      lifetime: lifetimeMs,
      ...tokens,
    };
  });
  const { claims, lifetime: lifetimeMs, scopes, refreshToken } = issuedTokens;
  return createJsonResponse({
    access_token: await signer.sign(claims),
    token_type: "Bearer",
    expires_in: Math.floor(lifetimeMs / 1000),
    scope: formatScopes(scopes),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
  });
};

const redeemGrant = (
  context: OperationContext,
  client: ClientRow,
  { parameters, log }: ClientRequest,
): IssuedGrant => {
  const grantType = requireParameter(parameters, "grant_type");
  if (grantType === "authorization_code") {
    log({ grant_type: grantType });
    const code = requireParameter(parameters, "code");
    const redirectUri = parameters.get("redirect_uri");
    const verifier = parameters.get("code_verifier");
    return redeemCode(context, client, { code, redirectUri, verifier });
  }
  if (grantType === "refresh_token") {
    log({ grant_type: grantType });
    const token = requireParameter(parameters, "refresh_token");
    return redeemRefreshToken(context, client, { token, scope: parameters.get("scope") });
  }
  throw oauthErrors.unsupportedGrantType();
};

const buildClaims = (
  context: OperationContext,
  grant: GrantRow,
  scopes: readonly string[],
  expiresAt: number,
): TokenClaims => {
  const { id, userId, workspaceId, clientId, integrationId } = grant;
  const email = context.store.users.get(userId)?.email ?? "";
  return buildTokenClaims(context, {
    subject: userId,
    expiresAt,
    scopes,
    clientId,
    integrationId,
    grantId: id,
    claims: { email, workspace_id: workspaceId },
  });
};

const requireParameter = (parameters: OAuthParameters, name: string): string => {
  const value = parameters.get(name);
  if (value === undefined) throw oauthErrors.missingParameter(name);
  return value;
};
