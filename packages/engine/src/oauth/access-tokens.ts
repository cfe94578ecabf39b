import { type JWTPayload, SignJWT, jwtVerify } from "jose";
import type { Clock } from "../time/clock.js";
import type { Ids } from "../request/ids.js";
import { type Principal, adminScope } from "../request/principal.js";
import type { Settings } from "../request/settings.js";
import type { Store } from "../store/store.js";
import { readClaims } from "./claims.js";
import type { SigningKeys } from "./signing-keys.js";
import type { Tokens } from "./tokens.js";

/** Why a token is not honoured. */
export type Refusal = "invalid" | "expired" | "revoked";

/** What `authenticate` finds out about a token. */
export type Authentication =
  | {
      principal: Principal;
      /** Milliseconds; `Infinity` when it never expires. */
      expiresAt: number;
    }
  | { refusal: Refusal };

/** A token to be signed. Times in milliseconds of the server's clock. */
export interface TokenRequest {
  subject: string;
  /** Default: an invented one. */
  tokenId?: string;
  /** Default: an hour from now. Null: never (service tokens). */
  expiresAt?: number | null;
  /** Default: now. */
  notBefore?: number;
  /** Default: `["workspace:admin"]`. */
  scopes?: readonly string[];
  clientId?: string;
  integrationId?: string;
  /** The grant of a login; it ends the token when it ends. */
  grantId?: string;
  /** What the kind adds: `email` and `workspace_id`, or `act`, `sponsor` and `workspace_id`. */
  claims?: Record<string, string>;
}

interface VerifiedToken {
  readonly principal: Principal;
  readonly grantId: string | null;
  readonly notBefore: number;
  readonly expiresAt: number;
}

const hour = 3_600_000;
const maxCached = 4_096;
const maxTokenLength = 16_384;

/**
 * Signs and honours access tokens: JWTs of type `at+jwt`, ES256 only, with `kid`, `iss`, `aud`, `iat`, `exp` and `jti`.
 * A signature is checked once; times, and whether the token still stands, are checked at every request.
 */
export class AccessTokens implements Tokens {
  readonly #cache = new Map<string, VerifiedToken>();

  constructor(
    private readonly keys: SigningKeys,
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly settings: Pick<Settings, "authUrl" | "baseUrl">,
  ) {}

  async sign(request: TokenRequest): Promise<string> {
    const now = this.clock.now();
    const { kid, key } = this.keys.current;
    const { expiresAt = now + hour, scopes = [adminScope], clientId, integrationId, grantId } = request;
    const jwt = new SignJWT({
      ...request.claims,
      scope: scopes.join(" "),
      ...(clientId !== undefined && { client_id: clientId }),
      ...(integrationId !== undefined && { integration_id: integrationId }),
      ...(grantId !== undefined && { grant_id: grantId }),
    })
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
      .setIssuer(this.settings.authUrl)
      .setAudience(this.settings.baseUrl)
      .setSubject(request.subject)
      .setIssuedAt(seconds(now))
      .setNotBefore(seconds(request.notBefore ?? now))
      .setJti(request.tokenId ?? this.ids.label(24));
    if (expiresAt !== null) jwt.setExpirationTime(seconds(expiresAt));
    return jwt.sign(key);
  }

  signServiceToken(token: { id: string; workspaceId: string; expiresAt: number | null }): Promise<string> {
    const { id, workspaceId, expiresAt } = token;
    return this.sign({ subject: `workspace:${workspaceId}`, tokenId: id, expiresAt });
  }

  /** Whose token this is; at once when its signature has been checked before. */
  authenticate(token: string): Authentication | Promise<Authentication> {
    const cached = this.#cache.get(token);
    return cached ? this.#judge(cached) : this.#verify(token);
  }

  verified(token: string): Principal | undefined {
    const cached = this.#cache.get(token);
    const authentication = cached && this.#judge(cached);
    return authentication && "principal" in authentication ? authentication.principal : undefined;
  }

  async #verify(token: string): Promise<Authentication> {
    if (token.length > maxTokenLength) return { refusal: "invalid" };
    let claims: JWTPayload;
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = this.keys.verifying(kid);
          if (!key) throw new Error("unknown key");
          return key;
        },
        {
          algorithms: ["ES256"],
          typ: "at+jwt",
          issuer: this.settings.authUrl,
          audience: this.settings.baseUrl,
          requiredClaims: ["iat", "jti", "sub"],
          // Times are judged below, against the clock of each request; here every token is on time.
          currentDate: new Date(0),
          clockTolerance: Number.MAX_SAFE_INTEGER,
        },
      );
      claims = payload;
    } catch {
      return { refusal: "invalid" };
    }
    const principal = readClaims(claims);
    if (!principal || (claims.exp === undefined && principal.kind !== "service")) {
      return { refusal: "invalid" };
    }
    const verified: VerifiedToken = {
      principal,
      grantId: typeof claims["grant_id"] === "string" ? claims["grant_id"] : null,
      notBefore: (claims.nbf ?? 0) * 1000,
      expiresAt: claims.exp === undefined ? Infinity : claims.exp * 1000,
    };
    if (this.#cache.size >= maxCached) {
      const oldest = this.#cache.keys().next();
      if (!oldest.done) this.#cache.delete(oldest.value);
    }
    this.#cache.set(token, verified);
    return this.#judge(verified);
  }

  #judge(verified: VerifiedToken): Authentication {
    const { principal, notBefore, expiresAt } = verified;
    const now = this.clock.now();
    if (now >= expiresAt) return { refusal: "expired" };
    if (now < notBefore) return { refusal: "invalid" };
    return this.#stands(verified) ? { principal, expiresAt } : { refusal: "revoked" };
  }

  /** Whether what the token was made from is still there (§ Authentication: deleting it ends the token at once). */
  #stands({ principal, grantId }: VerifiedToken): boolean {
    const { workspaceId, integrationId, tokenId } = principal;
    if (grantId !== null && !this.store.grants.get(grantId)) return false;
    if (this.store.revokedTokens.get(tokenId)) return false;
    const workspace = this.store.workspaces.get(workspaceId);
    if (!workspace) return false;
    if (integrationId !== null && this.store.integrations.get(integrationId)?.workspaceId !== workspaceId) {
      return false;
    }
    if (principal.kind === "service") {
      return this.store.serviceTokens.get(principal.serviceTokenId)?.workspaceId === workspaceId;
    }
    const owner = principal.kind === "user" ? principal.userId : principal.sponsorId;
    return workspace.memberIds.includes(owner) && this.store.users.get(owner) !== undefined;
  }
}

const seconds = (time: number): number => Math.floor(time / 1000);
