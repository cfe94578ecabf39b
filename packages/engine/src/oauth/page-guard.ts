import { hmacSha256 } from "#digest";
import { toBase64Url } from "../values/base64.js";
import { isSame } from "../values/digest.js";
import { type EngineRequest, header } from "../values/message.js";
import { randomText } from "../values/random-bytes.js";
import { cookieValues } from "./cookies.js";

const cookieName = "mgmt_authorize";
const cookiePattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns 32 random bytes as base64url. */
export const newCookie = (): string => randomText(32);

/**
 * Protects the forms of the pages against cross-site request forgery. A form is accepted only from the origin
 * of the page, with a token that is bound to the browser's cookie and to the authorization request that the
 * page showed.
 */
export class PageGuard {
  /**
   * @param key HMAC key for the form tokens.
   * @param origin Origin of the authorization server.
   * @param newCookie Returns 32 random bytes as base64url.
   */
  constructor(
    private readonly key: string,
    private readonly origin: string,
    private readonly newCookie: () => string,
  ) {}

  /** Reports whether a page of another origin sent the request. */
  isForeign(request: EngineRequest): boolean {
    const origin = header(request, "origin");
    const host = header(request, "host");
    const own = [this.origin, ...(host === undefined ? [] : [`http://${host}`, `https://${host}`])];
    if (origin !== undefined && !own.includes(origin)) return true;
    const site = header(request, "sec-fetch-site");
    return request.method === "POST" && site !== undefined && site !== "same-origin";
  }

  /**
   * Returns the token for the form of a page, and the `Set-Cookie` header. An existing cookie is reused, so
   * that forms in other tabs remain valid. The cookie is `SameSite=Lax`, because other sites link to the
   * page.
   */
  issue(request: EngineRequest, search: string): { token: string; setCookie: string } {
    const cookie = readCookie(request) ?? this.newCookie();
    const secure = this.origin.startsWith("https:") ? "; Secure" : "";
    return {
      token: this.#token(cookie, search),
      setCookie: `${cookieName}=${cookie}; Path=/authorize; HttpOnly; SameSite=Lax${secure}`,
    };
  }

  /** Reports whether the token of a form was issued for this browser and this authorization request. */
  isOwnForm(request: EngineRequest, search: string, token: string | undefined): boolean {
    const cookie = readCookie(request);
    return cookie !== undefined && token !== undefined && isSame(token, this.#token(cookie, search));
  }

  #token(cookie: string, search: string): string {
    return toBase64Url(hmacSha256(this.key, `${cookie} ${search}`));
  }
}

const readCookie = (request: EngineRequest): string | undefined => {
  const values = cookieValues(request, cookieName).filter((value) => cookiePattern.test(value));
  // If there are two cookies of this name, another site may have set one of them.
  return values.length === 1 ? values[0] : undefined;
};
