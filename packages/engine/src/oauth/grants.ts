import type { Clock } from "../time/clock.js";
import { digest } from "../request/digest.js";
import type { Ids } from "../request/ids.js";
import type { OAuthSettings } from "../request/settings.js";
import type { ClientRow, GrantRow, RefreshTokenRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { deleteExpired, deleteGrant, grantExpiry } from "./expiry.js";
import { oauthErrors } from "./oauth-error.js";
import { checkVerifier } from "./pkce.js";
import { narrowScopes, offlineScope } from "./scopes.js";
import { stands } from "./standing.js";

/** What a token request has earned, before the access token is signed. */
export interface Earned {
  readonly grant: GrantRow;
  /** Of the access token. */
  readonly scopes: readonly string[];
  readonly refreshToken: string | null;
}

/**
 * Codes become grants, and refresh tokens the next of their family. Each method checks and changes the store in one
 * synchronous step, so that no two requests can use the same secret, nor a deleted integration's.
 */
export class Grants {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly settings: OAuthSettings,
  ) {}

  /**
   * Redeems a code. Throws `invalid_grant`; the second use of a code by its own client also ends what the first gave
   * (RFC 6749 §4.1.2). Whoever cannot prove to be that client ends nothing.
   */
  redeem(
    client: ClientRow,
    {
      code,
      redirectUri,
      verifier,
    }: { code: string; redirectUri: string | undefined; verifier: string | undefined },
  ): Earned {
    const row = this.store.authorizationCodes.get(digest(code));
    if (row?.clientId !== client.id) throw oauthErrors.codeUnknown();
    // One that the authorization request left out may be left out, or named as it is registered (RFC 6749 §4.1.3).
    const expected = row.redirectUri ?? (redirectUri === undefined ? undefined : client.redirectUris[0]);
    if (redirectUri !== expected) throw oauthErrors.redirectChanged();
    checkVerifier(row.codeChallenge, verifier);
    if (row.grantId !== null) {
      this.end(row.grantId);
      throw oauthErrors.codeUsed();
    }
    const now = this.clock.now();
    if (row.expiresAt !== null && now >= row.expiresAt) throw oauthErrors.codeExpired();
    if (!stands(this.store, row)) throw oauthErrors.consentWithdrawn();

    const { integrationId, clientId, userId, workspaceId, scopes } = row;
    deleteExpired(this.store, now, this.settings);
    const grant = this.store.grants.insert({
      id: this.ids.label(24),
      createdAt: now,
      ...{ integrationId, clientId, userId, workspaceId, scopes },
      expiresAt: grantExpiry({ createdAt: now }, null, this.settings),
    });
    this.store.authorizationCodes.update(row.id, { grantId: grant.id, expiresAt: null });
    const refreshToken = scopes.includes(offlineScope) ? this.#newRefreshToken(grant) : null;
    return { grant, scopes, refreshToken };
  }

  /**
   * Uses a refresh token up and gives the next of its family. One replay within the grace is answered with a pair of its
   * own; any other is `invalid_grant`, and ends the family (§ Authentication).
   */
  refresh(client: ClientRow, { token, scope }: { token: string; scope: string | undefined }): Earned {
    const found = this.find(token);
    if (found?.grant.clientId !== client.id) throw oauthErrors.refreshUnknown();
    const { row, grant } = found;
    const now = this.clock.now();
    if (row.usedAt === null) {
      if (now >= row.expiresAt) throw oauthErrors.refreshExpired();
    } else if (row.replayed || now - row.usedAt > this.settings.refreshGrace) {
      this.end(grant.id);
      throw oauthErrors.refreshReplayed();
    }
    if (!stands(this.store, grant)) throw oauthErrors.consentWithdrawn();
    const scopes = narrowScopes(grant.scopes, scope);

    this.store.refreshTokens.update(row.id, row.usedAt === null ? { usedAt: now } : { replayed: true });
    deleteExpired(this.store, now, this.settings);
    return { grant, scopes, refreshToken: this.#newRefreshToken(grant) };
  }

  /** The refresh token and its grant; undefined when there is none. */
  find(token: string): { row: RefreshTokenRow; grant: GrantRow } | undefined {
    const row = this.store.refreshTokens.get(digest(token));
    const grant = row && this.store.grants.get(row.grantId);
    return row && grant ? { row, grant } : undefined;
  }

  /** Ends the grant with all its tokens. */
  end(grantId: string): void {
    deleteGrant(this.store, grantId, this.settings);
  }

  #newRefreshToken(grant: GrantRow): string {
    const token = this.ids.secret(43);
    const now = this.clock.now();
    const expiresAt = now + this.settings.refreshToken;
    this.store.grants.update(grant.id, { expiresAt: grantExpiry(grant, expiresAt, this.settings) });
    this.store.refreshTokens.insert({
      id: digest(token),
      createdAt: now,
      grantId: grant.id,
      expiresAt,
      usedAt: null,
      replayed: false,
    });
    return token;
  }
}
