import type { AccessTokens } from "./access-tokens.js";
import type { SigningKeys } from "./signing-keys.js";
import type { Clock } from "../time/clock.js";
import { corsHeaders, preflightHeaders } from "../request/cors.js";
import { type EngineRequest, header } from "../request/exchange.js";
import type { Ids } from "../request/ids.js";
import type { Settings } from "../request/settings.js";
import type { Store } from "../store/store.js";
import { type Note, type OAuthAnswer, errorAnswer, jsonAnswer } from "./answer.js";
import { AuthorizationEndpoint } from "./authorization-endpoint.js";
import { Consents } from "./consents.js";
import { readForm } from "./form-body.js";
import { Grants } from "./grants.js";
import { jwks, metadata } from "./metadata.js";
import { OAuthError, oauthErrors } from "./oauth-error.js";
import type { OAuthEndpoint } from "./paths.js";
import { RevocationEndpoint } from "./revocation-endpoint.js";
import { TokenEndpoint } from "./token-endpoint.js";

export interface OAuthParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keys: SigningKeys;
  readonly tokens: AccessTokens;
  readonly settings: Settings;
  /** Told of every error that is no refusal. */
  readonly onDefect: (error: unknown) => void;
}

const methods: Readonly<Record<OAuthEndpoint, readonly string[]>> = {
  authorize: ["GET", "POST"],
  token: ["POST"],
  revoke: ["POST"],
  metadata: ["GET"],
  jwks: ["GET"],
};

/** § Reading requests: these allow any origin, without credentials; a browser's client needs them. */
const openToAnyOrigin: ReadonlySet<OAuthEndpoint> = new Set(["token", "metadata", "jwks"]);

/** Not for long: a server that starts anew on the same port has new keys. */
const briefly = { "cache-control": "public, max-age=60" };

/** An answer, and those of the request's parameters that are no secret. */
export type NotedAnswer = OAuthAnswer & { readonly noted: Readonly<Record<string, string>> };

/**
 * The authorization server (RFC 6749 with PKCE, RFC 7009, 8414 and 9207): plain requests in, plain answers out, all state in
 * the store, all times by the clock.
 */
export class OAuthServer {
  /** Turns a user's yes into a code, without a page. */
  readonly consents: Consents;
  readonly #authorization: AuthorizationEndpoint;
  readonly #token: TokenEndpoint;
  readonly #revocation: RevocationEndpoint;
  readonly #metadata: OAuthAnswer;
  readonly #keys: SigningKeys;
  readonly #onDefect: (error: unknown) => void;

  constructor({ store, clock, ids, keys, tokens, settings: { oauth, authUrl }, onDefect }: OAuthParts) {
    const grants = new Grants(store, clock, ids, oauth);
    this.consents = new Consents(store, clock, ids, oauth);
    this.#authorization = new AuthorizationEndpoint(store, this.consents, authUrl, onDefect);
    this.#token = new TokenEndpoint(store, clock, grants, tokens, oauth);
    this.#revocation = new RevocationEndpoint(store, clock, grants, tokens);
    this.#metadata = jsonAnswer(metadata(authUrl), briefly);
    this.#keys = keys;
    this.#onDefect = onDefect;
  }

  /** `search` is the query of the request, without its mark. Never rejects. */
  async answer(endpoint: OAuthEndpoint, request: EngineRequest, search: string): Promise<NotedAnswer> {
    const isOpen = openToAnyOrigin.has(endpoint);
    if (request.method === "OPTIONS" && isOpen) {
      const wanted = header(request, "access-control-request-headers");
      return { status: 204, headers: preflightHeaders(methods[endpoint], wanted), code: null, noted: {} };
    }
    let noted: NotedAnswer["noted"] = {};
    const note: Note = (parameters) => (noted = { ...noted, ...parameters });
    const answer = await this.#dispatch(endpoint, request, search, note).catch((error: unknown) => {
      if (error instanceof OAuthError) return errorAnswer(error);
      this.#onDefect(error);
      return errorAnswer(oauthErrors.serverError());
    });
    const cors = isOpen && header(request, "origin") !== undefined ? corsHeaders : {};
    return { ...answer, headers: { ...answer.headers, ...cors }, noted };
  }

  async #dispatch(
    endpoint: OAuthEndpoint,
    request: EngineRequest,
    search: string,
    note: Note,
  ): Promise<OAuthAnswer> {
    if (!methods[endpoint].includes(request.method)) throw oauthErrors.wrongMethod(methods[endpoint]);
    switch (endpoint) {
      case "authorize":
        return this.#authorization.answer(request, search);
      case "metadata":
        return this.#metadata;
      case "jwks":
        return jsonAnswer(jwks(this.#keys.state), briefly);
      case "token":
        return this.#token.answer(readForm(request), header(request, "authorization"), note);
      case "revoke":
        return this.#revocation.answer(readForm(request), header(request, "authorization"), note);
    }
  }
}
