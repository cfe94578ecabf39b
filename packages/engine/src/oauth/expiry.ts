import type { OAuthSettings } from "../request/settings.js";
import type { GrantRow } from "../store/rows.js";
import type { Store } from "../store/store.js";

const day = 86_400_000;

type Lifetimes = Pick<OAuthSettings, "code" | "accessToken">;

/**
 * Deletes what no request can use any more: codes and refresh tokens a day after they expire, grants with the last of their
 * tokens, and revocations once the revoked token has expired.
 */
export const deleteExpired = (store: Store, now: number, lifetimes: Lifetimes): void => {
  const { authorizationCodes, grants, refreshTokens, revokedTokens } = store;
  for (const { id } of refreshTokens.listExpired(now - day)) refreshTokens.delete(id);
  for (const { id } of grants.listExpired(now)) deleteGrant(store, id, lifetimes);
  for (const { id } of authorizationCodes.listExpired(now - day)) authorizationCodes.delete(id);
  for (const { id } of revokedTokens.listExpired(now)) revokedTokens.delete(id);
};

/** Deletes a grant with its refresh tokens. Its code expires again when it would have without the grant. */
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

/** Returns when a grant is of no more use: a day after its last refresh token, and not before its first access token. */
export const grantExpiry = (
  { createdAt }: Pick<GrantRow, "createdAt">,
  refreshTokenExpiresAt: number | null,
  { accessToken }: Pick<OAuthSettings, "accessToken">,
): number =>
  Math.max(createdAt + accessToken, refreshTokenExpiresAt === null ? 0 : refreshTokenExpiresAt + day);
