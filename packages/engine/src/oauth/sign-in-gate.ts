import { hmacSha256 } from "#digest";
import { toBase64Url } from "../values/base64.js";
import { digest, isDigestOf, isSame } from "../values/digest.js";
import type { EngineRequest, Outcome } from "../values/message.js";
import { cookieValues } from "./cookies.js";
import { readForm } from "./form-body.js";
import { OAuthError, refusalOr } from "./oauth-error.js";
import { pageResponse } from "./page-response.js";
import { type KeyProblem, keyPage, keyScriptSource } from "./page/key-page.js";
import { redirectResponse } from "./responses.js";

/** Wrong keys that are answered in one window before they are refused with status 429. */
const maxGuesses = 10;
/** Milliseconds. */
const guessWindow = 60_000;

/**
 * Shows the pages of the authorization server only to browsers that know the sign-in key. A browser sends the key once,
 * in a form, and a cookie remembers it. The correct key is accepted at all times, so that wrong guesses of others do not
 * lock its owner out.
 */
export class SignInGate {
  readonly #keyDigest: string;
  readonly #cookie: { name: string; value: string; attributes: string };
  /** Each process counts its own. The key is too long to be guessed with those of several processes. */
  #guesses = 0;
  #windowEnds = 0;

  /**
   * @param key at least 32 random bytes as text; anything shorter could be guessed.
   * @param origin Origin of the authorization server.
   * @param now Returns a time in milliseconds that never goes back.
   */
  constructor(
    key: string,
    origin: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#keyDigest = digest(key);
    const { port, protocol } = new URL(origin);
    // Browsers send a cookie to all ports of its host, so the name contains the port.
    const name = `mgmt_sign_in${port === "" ? "" : `_${port}`}`;
    const value = toBase64Url(hmacSha256(key, "sign-in cookie"));
    const secure = protocol === "https:" ? "; Secure" : "";
    this.#cookie = { name, value, attributes: `; HttpOnly; SameSite=Lax${secure}` };
  }

  /**
   * Returns the response for a browser that has not sent the key: a page that asks for it, or a redirect to the same page
   * after the correct key. Returns undefined for a browser that is signed in.
   *
   * @param address Path and query of the page.
   */
  check(request: EngineRequest, address: string): Outcome | undefined {
    const key = keyIn(request);
    if (key !== undefined) return this.#answer(key, address);
    const { name, value } = this.#cookie;
    if (cookieValues(request, name).some((cookie) => isSame(cookie, value))) return undefined;
    return showKeyPage(200, address);
  }

  #answer(key: string, address: string): Outcome {
    if (isDigestOf(this.#keyDigest, key.trim())) return this.#remember(address);
    const now = this.now();
    if (now >= this.#windowEnds) {
      this.#guesses = 0;
      this.#windowEnds = now + guessWindow;
    }
    this.#guesses += 1;
    if (this.#guesses <= maxGuesses) return showKeyPage(403, address, "wrong");
    const response = showKeyPage(429, address, "too_many");
    const retryAfter = String(Math.ceil((this.#windowEnds - now) / 1000));
    return { ...response, headers: { ...response.headers, "retry-after": retryAfter } };
  }

  #remember(address: string): Outcome {
    const response = redirectResponse(address, null);
    const { name, value, attributes } = this.#cookie;
    const path = /^\/[^/?]*/.exec(address)?.[0] ?? "/";
    return {
      ...response,
      headers: { ...response.headers, "set-cookie": `${name}=${value}; Path=${path}${attributes}` },
    };
  }
}

/** Returns the key that the form of the page sends. */
const keyIn = (request: EngineRequest): string | undefined => {
  if (request.method !== "POST") return undefined;
  const form = refusalOr(() => readForm(request));
  return form instanceof OAuthError ? undefined : form.get("signInKey");
};

const showKeyPage = (status: number, address: string, problem?: KeyProblem): Outcome =>
  pageResponse({
    status,
    text: keyPage(address, problem),
    formAction: "'self'",
    script: keyScriptSource,
    ...(problem && { code: problem === "wrong" ? "sign_in_key_wrong" : "sign_in_key_guesses" }),
  });
