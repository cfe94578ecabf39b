import type { OAuthSettings } from "../values/settings.js";
import type { GrantRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { mapBatched, runBatched } from "../store/preload.js";

const dayMs = 86_400_000;

type TokenLifetimes = Pick<OAuthSettings, "code" | "accessToken">;

/** Maximum number of rows of each kind that one request deletes: more than it adds, so that they do not accumulate. */
const maxDeletedRows = 20;

/**
 * Deletes rows that no request can use anymore: codes one day after they expire, refresh tokens, grants and revocations when
 * they expire. A refresh token that expires unused ends its grant, even if a replay has continued the grant with other tokens.
 *
 * @returns false if expired refresh tokens may remain, because one request deletes a limited number.
 */
export const deleteExpiredRows = (store: Store, now: number, lifetimes: TokenLifetimes): boolean => {
  const { authorizationCodes, grants, refreshTokens, revokedTokens } = store;
  const [[expiredTokens, expiredGrants], [expiredCodes, expiredRevocations]] = runBatched(
    () =>
      runBatched(
        () => refreshTokens.listExpired(now, maxDeletedRows),
        () => grants.listExpired(now, maxDeletedRows),
      ),
    () =>
      runBatched(
        () => authorizationCodes.listExpired(now - dayMs, maxDeletedRows),
        () => revokedTokens.listExpired(now, maxDeletedRows),
      ),
  );
  const unusedGrantIds = expiredTokens.filter(({ usedAt }) => usedAt === null).map(({ grantId }) => grantId);
  deleteGrants(store, [...unusedGrantIds, ...expiredGrants.map(({ id }) => id)], lifetimes);
  for (const { id } of expiredTokens) refreshTokens.delete(id);
  for (const { id } of expiredCodes) authorizationCodes.delete(id);
  for (const { id } of expiredRevocations) revokedTokens.delete(id);
  return expiredTokens.length < maxDeletedRows;
};

/** Deletes grants with their refresh tokens, and restores the original expiry of their codes. */
export const deleteGrants = (
  store: Store,
  grantIds: readonly string[],
  lifetimes: Pick<OAuthSettings, "code">,
): void => {
  mapBatched([...new Set(grantIds)], (grantId) => deleteGrant(store, grantId, lifetimes));
};

/** Deletes a grant and its refresh tokens, and restores the original expiry of its code. */
export const deleteGrant = (
  { authorizationCodes, grants, refreshTokens }: Store,
  grantId: string,
  { code: codeLifetimeMs }: Pick<OAuthSettings, "code">,
): void => {
  const [[tokens, codes]] = runBatched(
    () =>
      runBatched(
        () => refreshTokens.list({ grantId }),
        () => authorizationCodes.list({ grantId }),
      ),
    () => grants.delete(grantId),
  );
  for (const { id } of tokens) refreshTokens.delete(id);
  for (const { id, createdAt } of codes)
    authorizationCodes.update(id, { expiresAt: createdAt + codeLifetimeMs });
};

/** Returns when a grant ends, however often it is refreshed. All times are in milliseconds. */
export const computeGrantEnd = (
  { createdAt }: Pick<GrantRow, "createdAt">,
  { refreshFamily }: Pick<OAuthSettings, "refreshFamily">,
): number => createdAt + refreshFamily;

/**
 * Returns when a grant can be deleted: one day after its last refresh token expires, but not before its first
 * access token expires. All times are in milliseconds.
 */
export const computeGrantDeletionTime = (
  { createdAt }: Pick<GrantRow, "createdAt">,
  refreshTokenExpiresAt: number | null,
  { accessToken }: Pick<OAuthSettings, "accessToken">,
): number =>
  Math.max(createdAt + accessToken, refreshTokenExpiresAt === null ? 0 : refreshTokenExpiresAt + dayMs);
