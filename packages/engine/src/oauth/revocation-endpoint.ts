import type { Authenticator } from "../request/authenticate.js";
import type { Outcome } from "../request/message.js";
import type { World } from "../request/world.js";
import type { ClientRow } from "../store/rows.js";
import { type ClientRequest, authenticateClient } from "./client-authentication.js";
import { deleteGrant } from "./expiry.js";
import { findRefreshToken } from "./grants.js";
import { oauthErrors } from "./oauth-error.js";
import { notStored } from "./responses.js";

const names = ["client_id", "client_secret", "token", "token_type_hint"];

/**
 * Revokes an access token, or a refresh token together with all tokens of its grant. Succeeds for unknown and
 * expired tokens too. See https://www.rfc-editor.org/rfc/rfc7009.
 * @throws OAuthError
 */
export const revokeToken = async (
  world: World,
  authenticator: Authenticator,
  request: ClientRequest,
): Promise<Outcome> => {
  const client = authenticateClient(world.store, request, names);
  const token = request.parameters.get("token");
  if (token === undefined) throw oauthErrors.missing("token");
  // The two kinds of token have different formats, so `token_type_hint` is not needed.
  const found = findRefreshToken(world, token);
  if (found) {
    if (found.grant.clientId !== client.id) throw oauthErrors.othersToken();
    deleteGrant(world.store, found.grant.id, world.settings.oauth);
  } else {
    await revokeAccessToken(world, authenticator, client, token);
  }
  return { status: 200, headers: notStored, code: null };
};

const revokeAccessToken = async (
  world: World,
  authenticator: Authenticator,
  client: ClientRow,
  token: string,
): Promise<void> => {
  const verified = await authenticator.verify(token);
  if (verified === undefined || authenticator.refusal(world, verified) !== undefined) return;
  const { principal, expiresAt } = verified;
  if (principal.clientId !== client.id) throw oauthErrors.othersToken();
  world.store.revokedTokens.insert({ id: principal.tokenId, createdAt: world.clock.now(), expiresAt });
};
