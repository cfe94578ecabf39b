import type { JWTPayload } from "jose";
import type { Preload } from "../store/preload.js";
import type { TokenClaims, TokenSigner } from "../context/access-token.js";
import type { Authenticator, TokenRejection, VerifiedToken } from "../context/authenticator.js";
import type { Principal } from "../values/principal.js";
import type { Settings } from "../values/settings.js";
import type { OperationContext } from "../context/operation-context.js";
import { toPrincipal } from "./claims.js";
import type { SigningKeys } from "./signing-keys.js";

const maxTokenLength = 16_384;

/**
 * Signs and verifies access tokens: JWTs of type `at+jwt`, signed with ES256. The signature of a token is
 * verified once and cached; its expiry and revocation are checked on every request. See
 * https://www.rfc-editor.org/rfc/rfc9068.
 */
export class AccessTokenService implements Authenticator, TokenSigner {
  readonly #cache = new Map<string, VerifiedToken>();

  /** @param maxCachedTokens how many tokens are remembered; a further one replaces the oldest. Default: 4096. */
  constructor(
    private readonly keys: SigningKeys,
    private readonly settings: Pick<Settings, "authUrl" | "baseUrl">,
    private readonly maxCachedTokens = 4_096,
  ) {}

  async sign(claims: TokenClaims): Promise<string> {
    // The whole package takes three times as long to load.
    const { SignJWT } = await import("jose/jwt/sign");
    const { kid, key } = this.keys.current;
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
      .setIssuer(this.settings.authUrl)
      .setAudience(this.settings.baseUrl)
      .sign(key);
  }

  verify(token: string): VerifiedToken | undefined | Promise<VerifiedToken | undefined> {
    return this.#cache.get(token) ?? this.#verifyUncached(token);
  }

  findInactiveReason({ store, clock }: OperationContext, token: VerifiedToken): TokenRejection | undefined {
    const now = clock.now();
    if (now >= token.expiresAt) return "expired";
    if (now < token.notBefore) return "invalid";
    return isRevoked(store, token) ? "revoked" : undefined;
  }

  preloads({ principal, grantId }: VerifiedToken): Preload[] {
    const { workspaceId, integrationId, tokenId } = principal;
    return [
      { read: "row", table: "workspaces", id: workspaceId },
      { read: "row", table: "revokedTokens", id: tokenId },
      principal.kind === "service"
        ? { read: "row", table: "serviceTokens", id: principal.serviceTokenId }
        : { read: "row", table: "users", id: getResponsibleUserId(principal) },
      ...(grantId === null ? [] : [{ read: "row", table: "grants", id: grantId } as const]),
      ...(integrationId === null ? [] : [{ read: "row", table: "integrations", id: integrationId } as const]),
    ];
  }

  async #verifyUncached(token: string): Promise<VerifiedToken | undefined> {
    const claims = token.length > maxTokenLength ? undefined : await this.#verifyClaims(token);
    const principal = claims && toPrincipal(claims);
    if (!principal || (claims.exp === undefined && principal.kind !== "service")) return undefined;
    const verifiedToken: VerifiedToken = {
      principal,
      grantId: typeof claims["grant_id"] === "string" ? claims["grant_id"] : null,
      notBefore: computeTokenStart(claims) * 1000,
      expiresAt: claims.exp === undefined ? Infinity : claims.exp * 1000,
    };
    if (this.#cache.size >= this.maxCachedTokens) {
      const oldestToken = this.#cache.keys().next();
      if (!oldestToken.done) this.#cache.delete(oldestToken.value);
    }
    this.#cache.set(token, verifiedToken);
    return verifiedToken;
  }

  async #verifyClaims(token: string): Promise<JWTPayload | undefined> {
    const { jwtVerify } = await import("jose/jwt/verify");
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = this.keys.findVerificationKey(kid);
          if (!key) throw new Error("unknown key");
          return key;
        },
        {
          algorithms: ["ES256"],
          typ: "at+jwt",
          issuer: this.settings.authUrl,
          audience: this.settings.baseUrl,
          requiredClaims: ["iat", "jti", "sub"],
          // `findInactiveReason` checks the times against the clock of each request, so `jwtVerify` must accept any
          // time.
          currentDate: new Date(0),
          clockTolerance: Number.MAX_SAFE_INTEGER,
        },
      );
      return payload;
    } catch {
      return undefined;
    }
  }
}

/**
 * Returns the start of a token, in seconds since 1970. A token that was valid from the start is valid at all times before its
 * expiry: this server signed it, so `iat` is in the future only if the clock was moved back since.
 */
const computeTokenStart = ({ iat = 0, nbf = 0 }: JWTPayload): number => (nbf > iat ? nbf : 0);

/** Returns the id of the user that a token acts for. */
const getResponsibleUserId = (principal: Exclude<Principal, { kind: "service" }>): string =>
  principal.kind === "user" ? principal.userId : principal.sponsorId;

/**
 * Reports whether the token was revoked, or its grant, integration, service token or workspace membership has
 * ended.
 */
const isRevoked = (store: OperationContext["store"], { principal, grantId }: VerifiedToken): boolean => {
  const { workspaceId, integrationId, tokenId } = principal;
  if (grantId !== null && !store.grants.get(grantId)) return true;
  if (store.revokedTokens.get(tokenId)) return true;
  const workspace = store.workspaces.get(workspaceId);
  if (!workspace) return true;
  if (integrationId !== null && store.integrations.get(integrationId)?.workspaceId !== workspaceId)
    return true;
  if (principal.kind === "service") {
    return store.serviceTokens.get(principal.serviceTokenId)?.workspaceId !== workspaceId;
  }
  const userId = getResponsibleUserId(principal);
  return !workspace.memberIds.includes(userId) || store.users.get(userId) === undefined;
};
