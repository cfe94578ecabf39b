import type { AccessTokens } from "./access-tokens.js";
import type { Clock } from "../time/clock.js";
import type { ClientRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { type Note, type OAuthAnswer, unstored } from "./answer.js";
import { refuseRepeated } from "./authorization-request.js";
import { authenticateClient } from "./client-authentication.js";
import type { Grants } from "./grants.js";
import { oauthErrors } from "./oauth-error.js";
import type { Parameters } from "./parameters.js";

const names = ["client_id", "client_secret", "token", "token_type_hint"];

/**
 * `POST /revoke` (RFC 7009): a refresh token ends with its whole family and all their access tokens, an access token ends
 * alone. An unknown or expired token is answered 200 too.
 */
export class RevocationEndpoint {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly grants: Grants,
    private readonly tokens: Pick<AccessTokens, "authenticate">,
  ) {}

  /** Throws an `OAuthError`. */
  async answer(parameters: Parameters, authorization: string | undefined, note: Note): Promise<OAuthAnswer> {
    refuseRepeated(parameters, names);
    const client = authenticateClient(this.store, authorization, parameters);
    note({ client_id: client.id });
    const token = parameters.get("token");
    if (token === undefined) throw oauthErrors.missing("token");
    // The two kinds cannot be mistaken for each other, so that the hint is not needed.
    const found = this.grants.find(token);
    if (found) {
      if (found.grant.clientId !== client.id) throw oauthErrors.othersToken();
      this.grants.end(found.grant.id);
    } else {
      await this.#revokeAccessToken(client, token);
    }
    return { status: 200, headers: unstored, code: null };
  }

  async #revokeAccessToken(client: ClientRow, token: string): Promise<void> {
    const authentication = await this.tokens.authenticate(token);
    if ("refusal" in authentication) return;
    const { principal, expiresAt } = authentication;
    if (principal.clientId !== client.id) throw oauthErrors.othersToken();
    // Two requests for the same token may have waited for its signature together.
    if (this.store.revokedTokens.get(principal.tokenId)) return;
    this.store.revokedTokens.insert({ id: principal.tokenId, createdAt: this.clock.now(), expiresAt });
  }
}
