import { hmacSha256 } from "#digest";
import { encodeBase64Url } from "../values/base64.js";
import { areStringsEqualInConstantTime } from "../values/digest.js";
import { isOriginOfHost } from "../values/host-origin.js";
import { type EngineRequest, getHeader } from "../values/message.js";
import { randomBase64Url } from "../values/random-bytes.js";
import { findCookieValues } from "./cookies.js";

const csrfCookieName = "mgmt_authorize";
const cookiePattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns 32 random bytes as base64url. */
export const generateCookieValue = (): string => randomBase64Url(32);

/**
 * Protects the forms of the pages against cross-site request forgery. A form is accepted only from the origin
 * of the page, with a token that is bound to the browser's cookie and to the authorization request that the
 * page showed.
 */
export class CsrfProtection {
  /**
   * @param key HMAC key for the form tokens.
   * @param origin origin of the authorization server.
   * @param generateCookieValue returns 32 random bytes as base64url.
   */
  constructor(
    private readonly key: string,
    private readonly origin: string,
    private readonly generateCookieValue: () => string,
  ) {}

  /** Returns whether a page of another origin sent the request. */
  isCrossOrigin(request: EngineRequest): boolean {
    const origin = getHeader(request, "origin");
    if (origin !== undefined && origin !== this.origin && !isOriginOfHost(origin, getHeader(request, "host")))
      return true;
    const fetchSite = getHeader(request, "sec-fetch-site");
    return request.method === "POST" && fetchSite !== undefined && fetchSite !== "same-origin";
  }

  /**
   * Returns the token for the form of a page, and the `Set-Cookie` header. An existing cookie is reused, so
   * that forms in other tabs remain valid. The cookie is `SameSite=Lax`, because other sites link to the
   * page.
   */
  issueCsrfToken(request: EngineRequest, authorizationQuery: string): { token: string; setCookie: string } {
    const cookie = findCookie(request) ?? this.generateCookieValue();
    const secureAttribute = this.origin.startsWith("https:") ? "; Secure" : "";
    return {
      token: this.#computeToken(cookie, authorizationQuery),
      setCookie: `${csrfCookieName}=${cookie}; Path=/authorize; HttpOnly; SameSite=Lax${secureAttribute}`,
    };
  }

  /** Returns whether the token of a form was issued for this browser and this authorization request. */
  isValidCsrfToken(request: EngineRequest, authorizationQuery: string, token: string | undefined): boolean {
    const cookie = findCookie(request);
    return (
      cookie !== undefined &&
      token !== undefined &&
      areStringsEqualInConstantTime(token, this.#computeToken(cookie, authorizationQuery))
    );
  }

  #computeToken(cookie: string, authorizationQuery: string): string {
    return encodeBase64Url(hmacSha256(this.key, `${cookie} ${authorizationQuery}`));
  }
}

const findCookie = (request: EngineRequest): string | undefined => {
  const values = findCookieValues(request, csrfCookieName).filter((value) => cookiePattern.test(value));
  // If there are two cookies of this name, a sibling subdomain may have set one of them.
  return values.length === 1 ? values[0] : undefined;
};
