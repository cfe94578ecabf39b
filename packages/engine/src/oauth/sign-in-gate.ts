import { hmacSha256 } from "#digest";
import { encodeBase64Url } from "../values/base64.js";
import { computeDigest, isDigestOf, areStringsEqualInConstantTime } from "../values/digest.js";
import type { EngineRequest, PipelineOutcome } from "../values/message.js";
import { findCookieValues } from "./cookies.js";
import { parseForm } from "./form-body.js";
import { OAuthError, catchOAuthError } from "./oauth-error.js";
import { createPageResponse } from "./page-response.js";
import { type KeyProblem, renderKeyPage, keyScriptCspSource } from "./page/key-page.js";
import { createRedirectResponse } from "./responses.js";

/** Wrong keys that are answered in one window before they are rejected with status 429. */
const maxWrongKeys = 10;
/** Milliseconds. */
const guessWindowMs = 60_000;

/**
 * Shows the pages of the authorization server only to browsers that know the sign-in key. A browser sends the key once,
 * in a form, and a cookie remembers it. The correct key is accepted at all times, so that wrong guesses of others do not
 * lock its owner out.
 */
export class SignInGate {
  readonly #keyDigest: string;
  readonly #cookie: { name: string; value: string; attributes: string };
  /** Each process counts its own attempts. The key is too long to be guessed with the attempts of several processes. */
  #wrongKeyCount = 0;
  #windowEndsAt = 0;

  /**
   * @param key at least 32 random bytes as text; anything shorter could be guessed.
   * @param origin origin of the authorization server.
   * @param now returns a time in milliseconds that never goes back.
   */
  constructor(
    key: string,
    origin: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#keyDigest = computeDigest(key);
    const { port, protocol } = new URL(origin);
    // Browsers send a cookie to all ports of its host, so the name contains the port.
    const name = `mgmt_sign_in${port === "" ? "" : `_${port}`}`;
    const cookieValue = encodeBase64Url(hmacSha256(key, "sign-in cookie"));
    const secureAttribute = protocol === "https:" ? "; Secure" : "";
    this.#cookie = { name, value: cookieValue, attributes: `; HttpOnly; SameSite=Lax${secureAttribute}` };
  }

  /**
   * Returns the response for a browser that has not sent the key: a page that asks for it, or a redirect to the same page
   * after the correct key. Returns undefined for a browser that is signed in.
   *
   * @param pagePath path and query of the page.
   */
  respondUnlessSignedIn(request: EngineRequest, pagePath: string): PipelineOutcome | undefined {
    const key = findSubmittedKey(request);
    if (key !== undefined) return this.#respondToKey(key, pagePath);
    const { name, value } = this.#cookie;
    if (findCookieValues(request, name).some((cookie) => areStringsEqualInConstantTime(cookie, value)))
      return undefined;
    return createKeyPageResponse(200, pagePath);
  }

  #respondToKey(key: string, pagePath: string): PipelineOutcome {
    if (isDigestOf(this.#keyDigest, key.trim())) return this.#redirectWithCookie(pagePath);
    const now = this.now();
    if (now >= this.#windowEndsAt) {
      this.#wrongKeyCount = 0;
      this.#windowEndsAt = now + guessWindowMs;
    }
    this.#wrongKeyCount += 1;
    if (this.#wrongKeyCount <= maxWrongKeys) return createKeyPageResponse(403, pagePath, "wrong");
    const response = createKeyPageResponse(429, pagePath, "too_many");
    const retryAfter = String(Math.ceil((this.#windowEndsAt - now) / 1000));
    return { ...response, headers: { ...response.headers, "retry-after": retryAfter } };
  }

  #redirectWithCookie(pagePath: string): PipelineOutcome {
    const response = createRedirectResponse(pagePath, null);
    const { name, value, attributes } = this.#cookie;
    const cookiePath = /^\/[^/?]*/.exec(pagePath)?.[0] ?? "/";
    return {
      ...response,
      headers: { ...response.headers, "set-cookie": `${name}=${value}; Path=${cookiePath}${attributes}` },
    };
  }
}

/** Returns the key that the form of the page sends. */
const findSubmittedKey = (request: EngineRequest): string | undefined => {
  if (request.method !== "POST") return undefined;
  const form = catchOAuthError(() => parseForm(request));
  return form instanceof OAuthError ? undefined : form.get("signInKey");
};

const createKeyPageResponse = (status: number, pagePath: string, problem?: KeyProblem): PipelineOutcome =>
  createPageResponse({
    status,
    html: renderKeyPage(pagePath, problem),
    formAction: "'self'",
    scriptCspSource: keyScriptCspSource,
    ...(problem && { code: problem === "wrong" ? "sign_in_key_wrong" : "sign_in_key_guesses" }),
  });
