import type { TokenSigner } from "../context/access-token.js";
import type { Authenticator } from "../context/authenticator.js";
import { corsHeaders, preflightHeaders } from "../request/cors.js";
import {
  type Endpoint,
  type EndpointContext,
  type OAuthEndpoint,
  oauthEndpoints,
} from "../context/endpoint.js";
import { DatabaseUnavailableError } from "../context/database-engine.js";
import { StateChangedError } from "../values/state-changed-error.js";
import { type EngineRequest, type Outcome, header } from "../values/message.js";
import { AuthorizationEndpoint } from "./authorization-endpoint.js";
import type { ClientRequest } from "./client-authentication.js";
import { maxFormBytes, readForm } from "./form-body.js";
import { jwks, metadata, oauthPaths } from "./metadata.js";
import { OAuthError, oauthErrors } from "./oauth-error.js";
import type { PageGuard } from "./page-guard.js";
import { type Log, errorResponse, jsonResponse } from "./responses.js";
import { revokeToken } from "./revocation-endpoint.js";
import type { SigningKeys } from "./signing-keys.js";
import type { SignInGate } from "./sign-in-gate.js";
import { issueToken } from "./token-endpoint.js";
import { readOnly } from "../store/storage-adapter.js";

export interface OAuthParts {
  readonly keys: SigningKeys;
  readonly tokens: Authenticator & TokenSigner;
  readonly guard: PageGuard;
  /** Default: browsers need no key. */
  readonly gate: SignInGate | undefined;
  /** Called with every unexpected error, which is any error other than an `OAuthError`. */
  readonly onDefect: (error: unknown) => void;
}

interface Handler {
  readonly methods: readonly string[];
  /** Whether pages of any origin may call the endpoint, without cookies. */
  readonly anyOrigin: boolean;
  /** @throws OAuthError */
  respond(
    server: EndpointContext,
    request: EngineRequest,
    search: string,
    log: Log,
  ): Outcome | Promise<Outcome>;
}

/** Limits caching to one minute, because the keys can change when the server restarts. */
const cachedBriefly = { "cache-control": "public, max-age=60" };

/**
 * Returns the endpoints of the authorization server by path. See https://www.rfc-editor.org/rfc/rfc6749,
 * https://www.rfc-editor.org/rfc/rfc7636 (PKCE), https://www.rfc-editor.org/rfc/rfc7009 (revocation),
 * https://www.rfc-editor.org/rfc/rfc8414 (metadata) and https://www.rfc-editor.org/rfc/rfc9207 (`iss`).
 */
export const oauthServer = ({
  keys,
  tokens,
  guard,
  gate,
  onDefect,
}: OAuthParts): ReadonlyMap<string, Endpoint> => {
  const authorization = new AuthorizationEndpoint(guard, gate, onDefect);
  const handlers: Readonly<Record<OAuthEndpoint, Handler>> = {
    authorize: {
      methods: ["GET", "POST"],
      anyOrigin: false,
      respond: (server, request, search) => authorization.respond(server, request, search),
    },
    token: {
      methods: ["POST"],
      anyOrigin: true,
      respond: (server, request, _search, log) => issueToken(server, tokens, clientRequest(request, log)),
    },
    revoke: {
      methods: ["POST"],
      anyOrigin: true,
      respond: (server, request, _search, log) => revokeToken(server, tokens, clientRequest(request, log)),
    },
    metadata: {
      methods: ["GET"],
      anyOrigin: true,
      respond: ({ settings }) => jsonResponse(metadata(settings.authUrl), cachedBriefly),
    },
    jwks: {
      methods: ["GET"],
      anyOrigin: true,
      // Another process may have replaced the keys, which the transaction notices.
      respond: (server) => server.transact(readOnly, () => jsonResponse(jwks(keys.state), cachedBriefly)),
    },
  };
  const endpoint = (name: OAuthEndpoint): [path: string, endpoint: Endpoint] => [
    oauthPaths[name],
    {
      id: `oauth.${name}`,
      discardsBody: false,
      bodyLimit: (method) => (method === "POST" ? maxFormBytes : 0),
      respond: (server, request, search) => handle(handlers[name], server, request, search, onDefect),
    },
  ];
  return new Map(oauthEndpoints.map(endpoint));
};

const clientRequest = (request: EngineRequest, log: Log): ClientRequest => ({
  parameters: readForm(request),
  authorization: header(request, "authorization"),
  log,
});

/** Handles a request to an endpoint. Never rejects: errors become responses. */
const handle = async (
  handler: Handler,
  server: EndpointContext,
  request: EngineRequest,
  search: string,
  onDefect: OAuthParts["onDefect"],
): Promise<Outcome> => {
  const { methods, anyOrigin } = handler;
  if (request.method === "OPTIONS" && anyOrigin) {
    const requested = header(request, "access-control-request-headers");
    return { status: 204, headers: preflightHeaders(methods, requested), code: null };
  }
  let logged: Readonly<Record<string, string>> = {};
  const log: Log = (parameters) => (logged = { ...logged, ...parameters });
  const outcome = await respond(handler, server, request, search, log).catch((error: unknown) => {
    if (error instanceof OAuthError) return errorResponse(error);
    if (error instanceof StateChangedError) throw error;
    if (error instanceof DatabaseUnavailableError) return errorResponse(oauthErrors.unavailable());
    onDefect(error);
    return errorResponse(oauthErrors.serverError());
  });
  const cors = anyOrigin && header(request, "origin") !== undefined ? corsHeaders : {};
  return { ...outcome, headers: { ...outcome.headers, ...cors }, logged };
};

const respond = async (
  { methods, respond }: Handler,
  server: EndpointContext,
  request: EngineRequest,
  search: string,
  log: Log,
): Promise<Outcome> => {
  if (!methods.includes(request.method)) throw oauthErrors.wrongMethod(methods);
  return respond(server, request, search, log);
};
