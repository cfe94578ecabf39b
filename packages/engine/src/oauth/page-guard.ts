import { hmacSha256 } from "#digest";
import { encodeBase64Url } from "../values/base64.js";
import { areStringsEqualInConstantTime } from "../values/digest.js";
import { type EngineRequest, getHeader } from "../values/message.js";
import { randomBase64Url } from "../values/random-bytes.js";
import { findCookieValues } from "./cookies.js";

const cookieName = "mgmt_authorize";
const cookiePattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns 32 random bytes as base64url. */
export const generateCookie = (): string => randomBase64Url(32);

/**
 * Protects the forms of the pages against cross-site request forgery. A form is accepted only from the origin
 * of the page, with a token that is bound to the browser's cookie and to the authorization request that the
 * page showed.
 */
export class PageGuard {
  /**
   * @param key HMAC key for the form tokens.
   * @param origin origin of the authorization server.
   * @param createCookie returns 32 random bytes as base64url.
   */
  constructor(
    private readonly key: string,
    private readonly origin: string,
    private readonly createCookie: () => string,
  ) {}

  /** Reports whether a page of another origin sent the request. */
  isCrossOrigin(request: EngineRequest): boolean {
    const origin = getHeader(request, "origin");
    const host = getHeader(request, "host");
    const ownOrigins = [this.origin, ...(host === undefined ? [] : [`http://${host}`, `https://${host}`])];
    if (origin !== undefined && !ownOrigins.includes(origin)) return true;
    const fetchSite = getHeader(request, "sec-fetch-site");
    return request.method === "POST" && fetchSite !== undefined && fetchSite !== "same-origin";
  }

  /**
   * Returns the token for the form of a page, and the `Set-Cookie` header. An existing cookie is reused, so
   * that forms in other tabs remain valid. The cookie is `SameSite=Lax`, because other sites link to the
   * page.
   */
  issueFormToken(request: EngineRequest, search: string): { token: string; setCookie: string } {
    const cookie = findCookie(request) ?? this.createCookie();
    const secureAttribute = this.origin.startsWith("https:") ? "; Secure" : "";
    return {
      token: this.#signToken(cookie, search),
      setCookie: `${cookieName}=${cookie}; Path=/authorize; HttpOnly; SameSite=Lax${secureAttribute}`,
    };
  }

  /** Reports whether the token of a form was issued for this browser and this authorization request. */
  isIssuedForm(request: EngineRequest, search: string, token: string | undefined): boolean {
    const cookie = findCookie(request);
    return (
      cookie !== undefined &&
      token !== undefined &&
      areStringsEqualInConstantTime(token, this.#signToken(cookie, search))
    );
  }

  #signToken(cookie: string, search: string): string {
    return encodeBase64Url(hmacSha256(this.key, `${cookie} ${search}`));
  }
}

const findCookie = (request: EngineRequest): string | undefined => {
  const values = findCookieValues(request, cookieName).filter((value) => cookiePattern.test(value));
  // If there are two cookies of this name, another site may have set one of them.
  return values.length === 1 ? values[0] : undefined;
};
