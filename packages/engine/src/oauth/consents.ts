import type { Clock } from "../time/clock.js";
import { digest } from "../request/digest.js";
import type { Ids } from "../request/ids.js";
import type { OAuthSettings } from "../request/settings.js";
import type { IntegrationRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import type { AuthorizationRequest } from "./authorization-request.js";
import { knownScopes } from "./scopes.js";

/** Who says yes, and for which workspace. */
export interface Consenter {
  readonly userId: string;
  readonly workspaceId: string;
}

/** Turns a user's yes into an integration and a code. */
export class Consents {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly settings: Pick<OAuthSettings, "code">,
  ) {}

  /** A code for the client, usable once and for a minute; only its digest is kept. */
  grant(request: AuthorizationRequest, { userId, workspaceId }: Consenter): string {
    const { client, scopes, redirectUri, redirectGiven, codeChallenge } = request;
    const now = this.clock.now();
    const integration = this.#integration(request, { userId, workspaceId });
    const code = this.ids.secret(43);
    this.store.authorizationCodes.insert({
      id: digest(code),
      createdAt: now,
      integrationId: integration.id,
      clientId: client.id,
      userId,
      workspaceId,
      scopes: [...scopes],
      redirectUri: redirectGiven ? redirectUri : null,
      codeChallenge,
      expiresAt: now + this.settings.code,
      grantId: null,
    });
    return code;
  }

  /** § Authentication: consent creates the workspace's integration for the client, or refreshes it. */
  #integration({ client, scopes }: AuthorizationRequest, { userId, workspaceId }: Consenter): IntegrationRow {
    const { integrations } = this.store;
    const existing = integrations.find({ workspaceId, clientId: client.id });
    if (existing) {
      // Tokens of earlier consents live on, with the scopes that they had.
      const all = knownScopes.filter((name) => existing.scopes.includes(name) || scopes.includes(name));
      return integrations.update(existing.id, { scopes: all });
    }
    return integrations.insert({
      id: this.ids.id("integration"),
      createdAt: this.clock.now(),
      workspaceId,
      clientId: client.id,
      userId,
      scopes: [...scopes],
    });
  }
}
