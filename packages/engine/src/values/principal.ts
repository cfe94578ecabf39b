/** The sender of a request, according to the claims of its access token. */
export type Principal = UserPrincipal | ServicePrincipal | AgentPrincipal;

interface CommonPrincipal {
  /** The `sub` of the token. */
  readonly subject: string;
  /** The only workspace that the credential can reach. */
  readonly workspaceId: string;
  readonly scopes: readonly string[];
  /** The OAuth client that the token was issued to; null for a token that was not issued to a client. */
  readonly clientId: string | null;
  /** The integration that the token was issued for. Deleting it revokes the token. */
  readonly integrationId: string | null;
  /** The `jti` of the token. */
  readonly tokenId: string;
}

/** A user who has signed in. */
export interface UserPrincipal extends CommonPrincipal {
  readonly kind: "user";
  readonly userId: string;
  readonly email: string;
}

/** A program with a service token. */
export interface ServicePrincipal extends CommonPrincipal {
  readonly kind: "service";
  readonly serviceTokenId: string;
}

/** An agent, which needs the approval of its sponsor for some operations. */
export interface AgentPrincipal extends CommonPrincipal {
  readonly kind: "agent";
  /** The `sub` of the token, which identifies the agent that owns an approval. */
  readonly agentId: string;
  /** The user who decides approvals for the agent. */
  readonly sponsorId: string;
}

/** The scope that every operation requires. */
export const adminScope = "workspace:admin";
