import type { OAuthSettings } from "../request/settings.js";
import type { GrantRow } from "../store/rows.js";
import type { Store } from "../store/store.js";

const day = 86_400_000;

type Lifetimes = Pick<OAuthSettings, "code" | "accessToken">;

/**
 * Deletes rows that no request can use anymore: codes one day after they expire, refresh tokens, grants and revocations when
 * they expire. A refresh token that expires unused ends its grant, even if a replay has continued the grant with other tokens.
 */
export const deleteExpired = (store: Store, now: number, lifetimes: Lifetimes): void => {
  const { authorizationCodes, grants, refreshTokens, revokedTokens } = store;
  for (const { id, grantId, usedAt } of refreshTokens.listExpired(now)) {
    if (usedAt === null) deleteGrant(store, grantId, lifetimes);
    refreshTokens.delete(id);
  }
  for (const { id } of grants.listExpired(now)) deleteGrant(store, id, lifetimes);
  for (const { id } of authorizationCodes.listExpired(now - day)) authorizationCodes.delete(id);
  for (const { id } of revokedTokens.listExpired(now)) revokedTokens.delete(id);
};

/** Deletes a grant and its refresh tokens, and restores the original expiry of its code. */
export const deleteGrant = (
  { authorizationCodes, grants, refreshTokens }: Store,
  grantId: string,
  { code: lifetime }: Pick<OAuthSettings, "code">,
): void => {
  grants.delete(grantId);
  for (const { id } of refreshTokens.list({ grantId })) refreshTokens.delete(id);
  for (const { id, createdAt } of authorizationCodes.list({ grantId })) {
    authorizationCodes.update(id, { expiresAt: createdAt + lifetime });
  }
};

/** Returns when a grant ends, however often it is refreshed. All times are in milliseconds. */
export const familyEnd = (
  { createdAt }: Pick<GrantRow, "createdAt">,
  { refreshFamily }: Pick<OAuthSettings, "refreshFamily">,
): number => createdAt + refreshFamily;

/**
 * Returns when a grant can be deleted: one day after its last refresh token expires, but not before its first
 * access token expires. All times are in milliseconds.
 */
export const grantExpiry = (
  { createdAt }: Pick<GrantRow, "createdAt">,
  refreshTokenExpiresAt: number | null,
  { accessToken }: Pick<OAuthSettings, "accessToken">,
): number =>
  Math.max(createdAt + accessToken, refreshTokenExpiresAt === null ? 0 : refreshTokenExpiresAt + day);
