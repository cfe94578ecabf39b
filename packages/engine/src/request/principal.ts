/** Who sends a request, as its access token says (§ Authentication). */
export type Principal = UserPrincipal | ServicePrincipal | AgentPrincipal;

interface AnyPrincipal {
  /** The `sub` of the token. */
  readonly subject: string;
  /** The one workspace that the credential reaches. */
  readonly workspaceId: string;
  readonly scopes: readonly string[];
  /** The OAuth client that the token was given to; null for tokens that no client asked for. */
  readonly clientId: string | null;
  /** The integration that the token came from; its deletion ends the token. */
  readonly integrationId: string | null;
  /** The `jti` of the token. */
  readonly tokenId: string;
}

export interface UserPrincipal extends AnyPrincipal {
  readonly kind: "user";
  readonly userId: string;
  readonly email: string;
}

export interface ServicePrincipal extends AnyPrincipal {
  readonly kind: "service";
  readonly serviceTokenId: string;
}

export interface AgentPrincipal extends AnyPrincipal {
  readonly kind: "agent";
  /** The `sub` of the token, again: whose approvals these are. */
  readonly agentId: string;
  /** The user who decides for the agent. */
  readonly sponsorId: string;
}

/** The scope that every operation asks for. */
export const adminScope = "workspace:admin";
