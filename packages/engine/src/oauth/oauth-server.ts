import type { TokenSigner } from "../context/access-token.js";
import type { Authenticator } from "../context/authenticator.js";
import { corsHeaders, buildPreflightHeaders } from "../request/cors.js";
import {
  type Endpoint,
  type EndpointContext,
  type OAuthEndpoint,
  oauthEndpoints,
} from "../context/endpoint.js";
import { DatabaseUnavailableError } from "../context/database-engine.js";
import { StateChangedError } from "../values/state-changed-error.js";
import { type EngineRequest, type PipelineOutcome, getHeader } from "../values/message.js";
import { AuthorizationEndpoint } from "./authorization-endpoint.js";
import type { ClientRequest } from "./client-authentication.js";
import { maxFormBytes, parseForm } from "./form-body.js";
import { buildPublicKeySet, buildMetadata, oauthPaths } from "./metadata.js";
import { OAuthError, oauthErrors } from "./oauth-error.js";
import type { CsrfProtection } from "./csrf-protection.js";
import { type LogParameters, createOAuthErrorResponse, createJsonResponse } from "./responses.js";
import { revokeToken } from "./revocation-endpoint.js";
import type { SigningKeys } from "./signing-keys.js";
import type { SignInGate } from "./sign-in-gate.js";
import { issueToken } from "./token-endpoint.js";
import { readOnlyTransaction } from "../store/storage-adapter.js";

/** Options of the authorization server's endpoints. */
export interface OAuthServerOptions {
  readonly keys: SigningKeys;
  readonly accessTokenService: Authenticator & TokenSigner;
  readonly csrfProtection: CsrfProtection;
  /** Default: browsers need no key. */
  readonly signInGate: SignInGate | undefined;
  /** Called with an error that is neither an `OAuthError` nor about the state or the availability of the records. */
  readonly onDefect: (error: unknown) => void;
}

interface EndpointHandler {
  readonly methods: readonly string[];
  /** Whether pages of any origin may call the endpoint, without cookies. */
  readonly allowsAnyOrigin: boolean;
  /** @throws OAuthError */
  respond(
    endpointContext: EndpointContext,
    request: EngineRequest,
    search: string,
    log: LogParameters,
  ): PipelineOutcome | Promise<PipelineOutcome>;
}

/** Limits caching to one minute, because a restart or another process can change the keys. */
const briefCacheHeaders = { "cache-control": "public, max-age=60" };

/**
 * Returns the endpoints of the authorization server by path. See https://www.rfc-editor.org/rfc/rfc6749,
 * https://www.rfc-editor.org/rfc/rfc7636 (PKCE), https://www.rfc-editor.org/rfc/rfc7009 (revocation),
 * https://www.rfc-editor.org/rfc/rfc8414 (metadata) and https://www.rfc-editor.org/rfc/rfc9207 (`iss`).
 */
export const createOAuthEndpoints = ({
  keys,
  accessTokenService,
  csrfProtection,
  signInGate,
  onDefect,
}: OAuthServerOptions): ReadonlyMap<string, Endpoint> => {
  const authorization = new AuthorizationEndpoint(csrfProtection, signInGate, onDefect);
  const handlers: Readonly<Record<OAuthEndpoint, EndpointHandler>> = {
    authorize: {
      methods: ["GET", "POST"],
      allowsAnyOrigin: false,
      respond: (endpointContext, request, search) => authorization.respond(endpointContext, request, search),
    },
    token: {
      methods: ["POST"],
      allowsAnyOrigin: true,
      respond: (endpointContext, request, _search, log) =>
        issueToken(endpointContext, accessTokenService, toClientRequest(request, log)),
    },
    revoke: {
      methods: ["POST"],
      allowsAnyOrigin: true,
      respond: (endpointContext, request, _search, log) =>
        revokeToken(endpointContext, accessTokenService, toClientRequest(request, log)),
    },
    metadata: {
      methods: ["GET"],
      allowsAnyOrigin: true,
      respond: ({ settings }) => createJsonResponse(buildMetadata(settings.authUrl), briefCacheHeaders),
    },
    jwks: {
      methods: ["GET"],
      allowsAnyOrigin: true,
      // Another process may have replaced the keys, which the transaction notices.
      respond: (endpointContext) =>
        endpointContext.transact(readOnlyTransaction, () =>
          createJsonResponse(buildPublicKeySet(keys.state), briefCacheHeaders),
        ),
    },
  };
  const createEndpoint = (name: OAuthEndpoint): [path: string, endpoint: Endpoint] => [
    oauthPaths[name],
    {
      id: `oauth.${name}`,
      discardsBody: false,
      bodyLimit: (method) => (method === "POST" ? maxFormBytes : 0),
      respond: (endpointContext, request, search) =>
        handleOAuthRequest(handlers[name], endpointContext, request, search, onDefect),
    },
  ];
  return new Map(oauthEndpoints.map(createEndpoint));
};

const toClientRequest = (request: EngineRequest, log: LogParameters): ClientRequest => ({
  parameters: parseForm(request),
  authorization: getHeader(request, "authorization"),
  log,
});

/** Handles a request to an endpoint. Errors become responses, except for a `StateChangedError`, after which the engine tries again. */
const handleOAuthRequest = async (
  handler: EndpointHandler,
  endpointContext: EndpointContext,
  request: EngineRequest,
  search: string,
  onDefect: OAuthServerOptions["onDefect"],
): Promise<PipelineOutcome> => {
  const { methods, allowsAnyOrigin } = handler;
  if (request.method === "OPTIONS" && allowsAnyOrigin) {
    const requestedHeaders = getHeader(request, "access-control-request-headers");
    return { status: 204, headers: buildPreflightHeaders(methods, requestedHeaders), code: null };
  }
  let loggedParameters: Readonly<Record<string, string>> = {};
  const log: LogParameters = (parameters) => (loggedParameters = { ...loggedParameters, ...parameters });
  const outcome = await callHandler(handler, endpointContext, request, search, log).catch(
    (error: unknown) => {
      if (error instanceof OAuthError) return createOAuthErrorResponse(error);
      if (error instanceof StateChangedError) throw error;
      if (error instanceof DatabaseUnavailableError)
        return createOAuthErrorResponse(oauthErrors.unavailable());
      onDefect(error);
      return createOAuthErrorResponse(oauthErrors.serverError());
    },
  );
  const cors = allowsAnyOrigin && getHeader(request, "origin") !== undefined ? corsHeaders : {};
  return { ...outcome, headers: { ...outcome.headers, ...cors }, logged: loggedParameters };
};

const callHandler = async (
  { methods, respond }: EndpointHandler,
  endpointContext: EndpointContext,
  request: EngineRequest,
  search: string,
  log: LogParameters,
): Promise<PipelineOutcome> => {
  if (!methods.includes(request.method)) throw oauthErrors.wrongMethod(methods);
  return respond(endpointContext, request, search, log);
};
