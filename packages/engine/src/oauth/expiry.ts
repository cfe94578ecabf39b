import type { OAuthSettings } from "../values/settings.js";
import type { GrantRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { forEachOf, together } from "../store/preload.js";

const day = 86_400_000;

type Lifetimes = Pick<OAuthSettings, "code" | "accessToken">;

/** Maximum number of rows of each kind that one request deletes: more than it adds, so that they do not accumulate. */
const maxDeleted = 20;

/**
 * Deletes rows that no request can use anymore: codes one day after they expire, refresh tokens, grants and revocations when
 * they expire. A refresh token that expires unused ends its grant, even if a replay has continued the grant with other tokens.
 *
 * @returns false if expired refresh tokens may remain, because one request deletes a limited number.
 */
export const deleteExpired = (store: Store, now: number, lifetimes: Lifetimes): boolean => {
  const { authorizationCodes, grants, refreshTokens, revokedTokens } = store;
  const [[tokens, ended], [codes, revocations]] = together(
    () =>
      together(
        () => refreshTokens.listExpired(now, maxDeleted),
        () => grants.listExpired(now, maxDeleted),
      ),
    () =>
      together(
        () => authorizationCodes.listExpired(now - day, maxDeleted),
        () => revokedTokens.listExpired(now, maxDeleted),
      ),
  );
  const unused = tokens.filter(({ usedAt }) => usedAt === null).map(({ grantId }) => grantId);
  deleteGrants(store, [...unused, ...ended.map(({ id }) => id)], lifetimes);
  for (const { id } of tokens) refreshTokens.delete(id);
  for (const { id } of codes) authorizationCodes.delete(id);
  for (const { id } of revocations) revokedTokens.delete(id);
  return tokens.length < maxDeleted;
};

/** Deletes grants with their refresh tokens, and restores the original expiry of their codes. */
export const deleteGrants = (
  store: Store,
  grantIds: readonly string[],
  lifetimes: Pick<OAuthSettings, "code">,
): void => {
  forEachOf([...new Set(grantIds)], (grantId) => deleteGrant(store, grantId, lifetimes));
};

/** Deletes a grant and its refresh tokens, and restores the original expiry of its code. */
export const deleteGrant = (
  { authorizationCodes, grants, refreshTokens }: Store,
  grantId: string,
  { code: lifetime }: Pick<OAuthSettings, "code">,
): void => {
  const [[tokens, codes]] = together(
    () =>
      together(
        () => refreshTokens.list({ grantId }),
        () => authorizationCodes.list({ grantId }),
      ),
    () => grants.delete(grantId),
  );
  for (const { id } of tokens) refreshTokens.delete(id);
  for (const { id, createdAt } of codes) authorizationCodes.update(id, { expiresAt: createdAt + lifetime });
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
