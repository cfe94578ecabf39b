import type { Store } from "../store/store.js";

const day = 86_400_000;

/**
 * Forgets what no request can use any more: codes and refresh tokens a day after their end, with what hung on a deleted
 * integration, and revocations of tokens that have expired since. A used code or refresh token is kept as long as its grant,
 * to be known when it is replayed.
 */
export const forgetExpired = (store: Store, now: number, accessToken: number): void => {
  const { authorizationCodes, grants, integrations, refreshTokens, revokedTokens } = store;
  for (const { id, integrationId } of grants.filter(() => true)) {
    if (!integrations.get(integrationId)) grants.delete(id);
  }
  const living = new Set<string>();
  for (const { id, grantId, expiresAt } of refreshTokens.filter(() => true)) {
    if (expiresAt + day <= now || !grants.get(grantId)) refreshTokens.delete(id);
    else living.add(grantId);
  }
  for (const { id, createdAt } of grants.filter((row) => !living.has(row.id))) {
    if (createdAt + accessToken <= now) grants.delete(id);
  }
  for (const { id, expiresAt, grantId } of authorizationCodes.filter(() => true)) {
    const used = grantId !== null && grants.get(grantId) !== undefined;
    if (!used && expiresAt + day <= now) authorizationCodes.delete(id);
  }
  for (const { id } of revokedTokens.filter(({ expiresAt }) => expiresAt <= now)) revokedTokens.delete(id);
};
