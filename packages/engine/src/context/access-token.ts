import { adminScope } from "../values/principal.js";
import type { OperationContext } from "./operation-context.js";

/** An access token to sign. Times are milliseconds since 1970. */
export interface TokenRequest {
  readonly subject: string;
  /** Default: a new id. */
  readonly tokenId?: string;
  /** Default: in an hour. Null: never, for service tokens. */
  readonly expiresAt?: number | null;
  /** Default: now. */
  readonly notBefore?: number;
  /** Default: `["workspace:admin"]`. */
  readonly scopes?: readonly string[];
  readonly clientId?: string;
  readonly integrationId?: string;
  /** The grant of a login. The token ends with it. */
  readonly grantId?: string;
  /** Claims of the kind of token: `email` and `workspace_id`, or `act`, `sponsor` and `workspace_id`. */
  readonly claims?: Readonly<Record<string, string>>;
}

/** JWT claims, without `iss` and `aud`. Times are seconds since 1970. See https://www.rfc-editor.org/rfc/rfc9068. */
export interface TokenClaims {
  readonly sub: string;
  readonly jti: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp?: number;
  readonly scope: string;
  readonly [name: string]: unknown;
}

/** Signs access tokens with the key of the server. */
export interface TokenSigner {
  sign(claims: TokenClaims): Promise<string>;
}

const hourMs = 3_600_000;

const toSeconds = (time: number): number => Math.floor(time / 1000);

/** Returns the claims of an access token that is issued now. */
export const buildTokenClaims = (
  { clock, ids }: Pick<OperationContext, "clock" | "ids">,
  request: TokenRequest,
): TokenClaims => {
  const now = clock.now();
  const {
    expiresAt = now + hourMs,
    notBefore = now,
    scopes = [adminScope],
    clientId,
    integrationId,
    grantId,
  } = request;
  return {
    ...request.claims,
    scope: scopes.join(" "),
    ...(clientId !== undefined && { client_id: clientId }),
    ...(integrationId !== undefined && { integration_id: integrationId }),
    ...(grantId !== undefined && { grant_id: grantId }),
    sub: request.subject,
    iat: toSeconds(now),
    nbf: toSeconds(notBefore),
    jti: request.tokenId ?? ids.generateLabel(24),
    ...(expiresAt !== null && { exp: toSeconds(expiresAt) }),
  };
};

/** Returns the request for the token of a service token row. Its `jti` is the id of the row. */
export const buildServiceTokenRequest = (token: {
  id: string;
  workspaceId: string;
  expiresAt?: number | null;
}): TokenRequest => ({
  subject: `workspace:${token.workspaceId}`,
  tokenId: token.id,
  expiresAt: token.expiresAt ?? null,
});
