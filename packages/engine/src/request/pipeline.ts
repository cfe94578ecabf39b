import type { Access } from "../store/storage-adapter.js";
import { approve } from "./approve.js";
import { authenticate, verifyBearer } from "./authenticate.js";
import type { Authenticator, VerifiedToken } from "../context/authenticator.js";
import { type AuthorizedRequest, authorize } from "./authorize.js";
import type { AnyOperationHandler, OperationHandlers, Success } from "../context/operation-handler.js";
import { contractPath } from "./contract-endpoint.js";
import { preflightHeaders } from "./cors.js";
import type { Endpoint } from "../context/endpoint.js";
import { errors } from "../values/errors.js";
import type { Counted, Exchange } from "./exchange.js";
import type { FaultSource, FaultTarget } from "../context/faults.js";
import { type Outcome, header } from "../values/message.js";
import { type ReadyRequest, finish, modeOf, perform, performIn } from "./perform.js";
import { playFault } from "./play-fault.js";
import { needsPreparation, nothingPrepared, prepare } from "./prepare.js";
import type { Principal } from "../values/principal.js";
import { readBody } from "./read-body.js";
import { preloadsOfPath } from "./resource-access.js";
import { type Route, idsOf, isApiPath, methodsOf, route } from "./route.js";
import { andThen } from "../values/awaitable.js";
import { validate } from "./validate.js";
import { Missing, type Preload } from "../store/preload.js";
import type { RequestContext } from "../context/request-context.js";
import type { RuleContext } from "../context/rule-context.js";

/** Services that the steps of the pipeline use. */
export interface PipelineParts {
  readonly handlers: OperationHandlers;
  readonly faults: FaultSource;
}

/**
 * Runs a request: route, authenticate, limit, validate, authorize, prepare, check, approve, act. A step refuses by throwing a
 * `RequestError`. The result is a promise only when a step has to wait.
 */
export const runPipeline = (parts: PipelineParts, exchange: Exchange): Outcome | Promise<Outcome> => {
  const { request, path, context } = exchange;
  if (!isApiPath(path) || path === contractPath) {
    const endpoint = context.findEndpoint(request.method, path);
    if (endpoint) return runEndpoint(parts, exchange, endpoint);
  } else if (request.method === "OPTIONS") return preflight(exchange);
  const target = route(request.method, path);
  exchange.operation = target.operation;
  return withFault(parts, exchange, target.operation.id, () => runOperation(parts, exchange, target));
};

const runEndpoint = (
  parts: PipelineParts,
  exchange: Exchange,
  endpoint: Endpoint,
): Outcome | Promise<Outcome> => {
  const { context, request, search } = exchange;
  exchange.endpoint = endpoint;
  const respond = (): Outcome | Promise<Outcome> => endpoint.respond(context, request, search);
  return endpoint.id === null ? respond() : withFault(parts, exchange, endpoint.id, respond);
};

const preflight = ({ request, path }: Exchange): Outcome => {
  const headers = preflightHeaders(methodsOf(path), header(request, "access-control-request-headers"));
  return { status: 204, code: null, headers };
};

const withFault = (
  { faults }: PipelineParts,
  exchange: Exchange,
  target: FaultTarget,
  proceed: () => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> => {
  const { struck } = exchange;
  if (struck) {
    // The latency is over.
    return struck.fault ? playFault({ ...struck.fault, latency: 0 }, exchange, proceed) : proceed();
  }
  if (!faults.any) return proceed();
  return andThen(faults.strike(target), (fault) => {
    exchange.struck = { fault };
    return fault ? playFault(fault, exchange, proceed) : proceed();
  });
};

const runOperation = (parts: PipelineParts, exchange: Exchange, target: Route): Outcome | Promise<Outcome> =>
  andThen(verifyBearer(exchange.context.authenticator, exchange.request), (token) =>
    runVerified(parts, exchange, target, token),
  );

/** Runs the steps of a request whose token is verified: in one transaction, unless it has to be prepared. */
const runVerified = (
  parts: PipelineParts,
  exchange: Exchange,
  target: Route,
  token: VerifiedToken | undefined,
): Outcome | Promise<Outcome> => {
  const { operation } = target;
  const { context: server } = exchange;
  const handler: AnyOperationHandler = parts.handlers[operation.id];
  const isPrepared = needsPreparation(operation, handler);
  const workspaceId = token?.principal.workspaceId;
  const access: Access = {
    mode: isPrepared ? "read" : modeOf(operation.method),
    locks: workspaceId === undefined ? [] : [workspaceId],
  };
  const ran = server.transact(
    access,
    (context) => {
      const principal = authenticate(server.authenticator, context, token);
      const request = authorizeRequest(exchange, target, principal, context);
      const ready: ReadyRequest = { handler, request, prepared: nothingPrepared, approve };
      return { ready, performed: isPrepared ? undefined : performIn(server, context, ready) };
    },
    () => (token === undefined ? [] : preloadsOf(server, token, target, exchange.search, handler)),
  );
  return andThen(ran, ({ ready, performed }) =>
    performed
      ? andThen(finish(server, ready, performed), succeed)
      : prepare(server, handler, ready.request)
          .then((prepared) => perform(server, { ...ready, prepared }))
          .then(succeed),
  );
};

/** Returns the rows that a request probably reads, so that they are loaded together. */
export const preloadsOf = (
  server: Pick<RequestContext, "countPreloads"> & { readonly authenticator: Pick<Authenticator, "preloads"> },
  token: VerifiedToken,
  target: Route,
  search: string,
  { preloads }: Pick<AnyOperationHandler, "preloads">,
): Preload[] => {
  const { operation } = target;
  const { principal } = token;
  const path = idsOf(target);
  return [
    ...server.countPreloads(operation.id, principal),
    ...server.authenticator.preloads(token),
    ...preloadsOfPath(operation, path),
    ...(preloads?.({ principal, path, search }) ?? []),
  ];
};

/** Counts, validates and authorizes a request. */
const authorizeRequest = (
  exchange: Exchange,
  target: Route,
  principal: Principal,
  context: RuleContext,
): AuthorizedRequest => {
  const { operation } = target;
  const { request, search } = exchange;
  exchange.principal = principal;
  exchange.counted ??= countRequest(() => context.countRequest(operation.id, principal));
  if ("error" in exchange.counted) throw exchange.counted.error;
  exchange.headers = exchange.counted.headers;
  const { limits, unknownFields } = context.settings;
  const valid = validate(target, search, readBody(operation, request, limits), unknownFields);
  exchange.valid = valid;
  authorize(operation, principal);
  if (valid.missing !== undefined) throw errors.notFound(valid.missing);
  return { operation, principal, valid };
};

const countRequest = (count: () => Record<string, string> | undefined): Counted => {
  try {
    return { headers: count() };
  } catch (error) {
    if (error instanceof Missing) throw error;
    return { error };
  }
};

const succeed = ({ status, body, json, headers }: Success): Outcome => ({
  status,
  body,
  json,
  headers,
  code: null,
});
