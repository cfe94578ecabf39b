import { computeDigest } from "../values/digest.js";
import type { OperationContext } from "../context/operation-context.js";
import type { ClientRow, GrantRow, RefreshTokenRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import {
  deleteExpiredRows,
  deleteGrant,
  computeGrantEnd,
  computeGrantDeletionTime,
} from "./grant-deletion.js";
import { oauthErrors } from "./oauth-error.js";
import { assertVerifier } from "./pkce.js";
import { narrowScopes, offlineScope } from "./scopes.js";

/** The result of a token request, before the access token is signed. */
export interface IssuedGrant {
  readonly grant: GrantRow;
  /** Scopes of the access token. */
  readonly scopes: readonly string[];
  readonly refreshToken: string | null;
}

/** The parameters of a token request with an authorization code. */
export interface CodeParameters {
  readonly code: string;
  readonly redirectUri: string | undefined;
  readonly verifier: string | undefined;
}

/**
 * Redeems an authorization code. When the same client redeems a code twice, the grant of the first use is
 * deleted; see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2. Requests with the wrong client, redirect
 * URI or PKCE verifier do not affect the grant.
 * @throws OAuthError `invalid_grant`
 */
export const redeemCode = (
  context: OperationContext,
  client: ClientRow,
  { code, redirectUri, verifier }: CodeParameters,
): IssuedGrant => {
  const { store, clock, ids, settings } = context;
  const row = store.authorizationCodes.get(computeDigest(code));
  if (row?.clientId !== client.id) throw oauthErrors.codeUnknown();
  // If the authorization request omitted the URI, the token request may omit it or send the registered one.
  const expectedRedirectUri =
    row.redirectUri ?? (redirectUri === undefined ? undefined : client.redirectUris[0]);
  if (redirectUri !== expectedRedirectUri) throw oauthErrors.redirectUriMismatch();
  assertVerifier(row.codeChallenge, verifier);
  if (row.grantId !== null) {
    deleteGrant(store, row.grantId, settings.oauth);
    throw oauthErrors.codeUsed();
  }
  const now = clock.now();
  if (row.expiresAt !== null && now >= row.expiresAt) throw oauthErrors.codeExpired();
  if (!isConsentActive(store, row)) throw oauthErrors.consentWithdrawn();

  const { integrationId, clientId, userId, workspaceId, scopes } = row;
  deleteExpiredRows(store, now, settings.oauth);
  const grant = store.grants.insert({
    id: ids.generateLabel(24),
    createdAt: now,
    ...{ integrationId, clientId, userId, workspaceId, scopes },
    expiresAt: computeGrantDeletionTime({ createdAt: now }, null, settings.oauth),
  });
  store.authorizationCodes.update(row.id, { grantId: grant.id, expiresAt: null });
  const refreshToken = scopes.includes(offlineScope) ? issueRefreshToken(context, grant) : null;
  return { grant, scopes, refreshToken };
};

/**
 * Exchanges a refresh token for a new one of the same grant. A used token is accepted once more within the
 * grace period, and both new tokens then belong to the grant, which ends with either. Any other reuse deletes the
 * grant with all of its refresh tokens. See
 * https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2.
 * @throws OAuthError `invalid_grant` or `invalid_scope`
 */
export const redeemRefreshToken = (
  context: OperationContext,
  client: ClientRow,
  { token, scope }: { token: string; scope: string | undefined },
): IssuedGrant => {
  const { store, clock, settings } = context;
  const now = clock.now();
  const expiresAt = findRefreshToken(context, token)?.row.expiresAt ?? Infinity;
  // The other tokens of the grant of a replayed token may have expired, which ended the grant.
  const areExpiredRowsDeleted = deleteExpiredRows(store, now, settings.oauth);
  if (now >= expiresAt) throw oauthErrors.refreshExpired();
  const match = findRefreshToken(context, token);
  if (match?.grant.clientId !== client.id) throw oauthErrors.refreshUnknown();
  if (!areExpiredRowsDeleted && hasUnusedExpiredToken(store, match.grant, now)) {
    deleteGrant(store, match.grant.id, settings.oauth);
    throw oauthErrors.refreshUnknown();
  }
  const { row, grant } = match;
  if (row.usedAt !== null && (row.replayed || now - row.usedAt > settings.oauth.refreshGrace)) {
    deleteGrant(store, grant.id, settings.oauth);
    throw oauthErrors.refreshReplayed();
  }
  if (!isConsentActive(store, grant)) throw oauthErrors.consentWithdrawn();
  const scopes = narrowScopes(grant.scopes, scope);

  store.refreshTokens.update(row.id, row.usedAt === null ? { usedAt: now } : { replayed: true });
  return { grant, scopes, refreshToken: issueRefreshToken(context, grant) };
};

/** Returns whether a refresh token of the grant has expired without being used. */
const hasUnusedExpiredToken = ({ refreshTokens }: Store, { id: grantId }: GrantRow, now: number): boolean =>
  refreshTokens.list({ grantId }).some(({ usedAt, expiresAt }) => usedAt === null && now >= expiresAt);

/** Returns the row of a refresh token and its grant, or undefined for an unknown token. */
export const findRefreshToken = (
  { store }: OperationContext,
  token: string,
): { row: RefreshTokenRow; grant: GrantRow } | undefined => {
  const row = store.refreshTokens.get(computeDigest(token));
  const grant = row && store.grants.get(row.grantId);
  return row && grant ? { row, grant } : undefined;
};

const issueRefreshToken = ({ store, clock, ids, settings }: OperationContext, grant: GrantRow): string => {
  const token = ids.generateSecret(43);
  const now = clock.now();
  const expiresAt = Math.min(now + settings.oauth.refreshToken, computeGrantEnd(grant, settings.oauth));
  store.grants.update(grant.id, { expiresAt: computeGrantDeletionTime(grant, expiresAt, settings.oauth) });
  store.refreshTokens.insert({
    id: computeDigest(token),
    createdAt: now,
    grantId: grant.id,
    expiresAt,
    usedAt: null,
    replayed: false,
  });
  return token;
};

/** Reports whether the integration still exists and the user is still a member of the workspace. */
const isConsentActive = (
  store: Store,
  {
    integrationId,
    clientId,
    userId,
    workspaceId,
  }: Pick<GrantRow, "integrationId" | "clientId" | "userId" | "workspaceId">,
): boolean => {
  const integration = store.integrations.get(integrationId);
  return (
    integration?.clientId === clientId &&
    integration.workspaceId === workspaceId &&
    store.users.get(userId) !== undefined &&
    store.workspaces.get(workspaceId)?.memberIds.includes(userId) === true
  );
};
