import { createHmac, randomBytes } from "node:crypto";
import { type EngineRequest, header } from "../request/exchange.js";
import { isSame } from "./secrets.js";

const cookieName = "mgmt_authorize";
const cookieForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * Tells the forms of our own pages from all others: they come from the page's own origin, and carry a token that belongs to
 * the browser's cookie and to the very authorization request that the page showed.
 */
export class PageGuard {
  /** Pages do not outlive the process that made them. */
  readonly #key = randomBytes(32);

  constructor(private readonly origin: string) {}

  /** Whether a page of another origin sent the request. */
  isForeign(request: EngineRequest): boolean {
    const origin = header(request, "origin");
    const host = header(request, "host");
    const own = [this.origin, ...(host === undefined ? [] : [`http://${host}`, `https://${host}`])];
    if (origin !== undefined && !own.includes(origin)) return true;
    const site = header(request, "sec-fetch-site");
    return request.method === "POST" && site !== undefined && site !== "same-origin";
  }

  /**
   * The token for a page's form, and the header that sets its cookie. A browser keeps the cookie that it has, also when
   * another site's link has led to the page (Lax, not Strict): pages in its other tabs stay good.
   */
  issue(request: EngineRequest, search: string): { token: string; setCookie: string } {
    const cookie = readCookie(request) ?? randomBytes(32).toString("base64url");
    const secure = this.origin.startsWith("https:") ? "; Secure" : "";
    return {
      token: this.#token(cookie, search),
      setCookie: `${cookieName}=${cookie}; Path=/authorize; HttpOnly; SameSite=Lax${secure}`,
    };
  }

  isOwnForm(request: EngineRequest, search: string, token: string | undefined): boolean {
    const cookie = readCookie(request);
    return cookie !== undefined && token !== undefined && isSame(token, this.#token(cookie, search));
  }

  #token(cookie: string, search: string): string {
    return createHmac("sha256", this.#key).update(`${cookie} ${search}`).digest("base64url");
  }
}

const readCookie = (request: EngineRequest): string | undefined => {
  const cookies = header(request, "cookie")?.split(";") ?? [];
  const values = cookies.flatMap((cookie) => {
    const [name, value] = cookie.trim().split("=", 2);
    return name === cookieName && value !== undefined && cookieForm.test(value) ? [value] : [];
  });
  // Two cookies of the same name: somebody else has set one of them.
  return values.length === 1 ? values[0] : undefined;
};
