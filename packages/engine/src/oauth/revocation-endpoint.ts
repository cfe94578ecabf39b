import type { Authenticator, VerifiedToken } from "../context/authenticator.js";
import { computeDigest } from "../values/digest.js";
import type { PipelineOutcome } from "../values/message.js";
import type { EndpointContext } from "../context/endpoint.js";
import type { OperationContext } from "../context/operation-context.js";
import type { ClientRow } from "../store/rows.js";
import { type ClientRequest, authenticateClient } from "./client-authentication.js";
import { deleteGrant } from "./grant-deletion.js";
import { findRefreshToken } from "./grants.js";
import { oauthErrors } from "./oauth-error.js";
import { noStoreHeaders } from "./responses.js";

const nonRepeatableParameters = ["client_id", "client_secret", "token", "token_type_hint"];

/**
 * Revokes an access token, or a refresh token together with all tokens of its grant. Succeeds for unknown and
 * expired tokens too. See https://www.rfc-editor.org/rfc/rfc7009.
 * @throws OAuthError
 */
export const revokeToken = async (
  endpointContext: EndpointContext,
  authenticator: Authenticator,
  request: ClientRequest,
): Promise<PipelineOutcome> => {
  const token = request.parameters.get("token");
  const verifiedToken = token === undefined ? undefined : await authenticator.verify(token);
  const locks = token === undefined ? [] : [computeDigest(token)];
  await endpointContext.transact({ mode: "write", locks }, (context) => {
    const client = authenticateClient(context.store, request, nonRepeatableParameters);
    if (token === undefined) throw oauthErrors.missingParameter("token");
    // The two kinds of token have different formats, so `token_type_hint` is not needed.
    const match = findRefreshToken(context, token);
    if (match) {
      if (match.grant.clientId !== client.id) throw oauthErrors.tokenOfOtherClient();
      deleteGrant(context.store, match.grant.id, context.settings.oauth);
    } else if (verifiedToken && authenticator.findInactiveReason(context, verifiedToken) === undefined) {
      revokeAccessToken(context, client, verifiedToken);
    }
  });
  return { status: 200, headers: noStoreHeaders, code: null };
};

const revokeAccessToken = (
  { store, clock }: OperationContext,
  client: ClientRow,
  { principal, expiresAt }: VerifiedToken,
): void => {
  if (principal.clientId !== client.id) throw oauthErrors.tokenOfOtherClient();
  store.revokedTokens.insert({ id: principal.tokenId, createdAt: clock.now(), expiresAt });
};
