import type { TransactionOptions } from "../store/storage-adapter.js";
import { requireApprovalIfNeeded } from "./require-approval.js";
import { authenticate, verifyBearer } from "./authenticate.js";
import type { Authenticator, VerifiedToken } from "../context/authenticator.js";
import { type AuthorizedRequest, assertAuthorized } from "./authorize.js";
import type {
  AnyOperationHandler,
  OperationHandlers,
  SuccessResponse,
} from "../context/operation-handler.js";
import { contractPath } from "./contract-endpoint.js";
import { buildPreflightHeaders } from "./cors.js";
import type { Endpoint } from "../context/endpoint.js";
import { errors } from "../values/errors.js";
import type { RateLimitResult, Exchange } from "./exchange.js";
import type { InstalledFaults, FaultTarget } from "../context/fault.js";
import { type PipelineOutcome, getHeader } from "../values/message.js";
import { type ReadyRequest, waitForJob, chooseMode, performOperation, runHandler } from "./perform.js";
import { applyFault } from "./apply-fault.js";
import { needsPreparation, noPreparation, runPreparation } from "./preparation.js";
import type { Principal } from "../values/principal.js";
import { parseRequestBody } from "./request-body.js";
import { listPathPreloads } from "./resource-access.js";
import { type Route, canonicalizePathIds, isApiPath, listAllowedMethods, matchRoute } from "./route.js";
import { mapAwaitable } from "../values/awaitable.js";
import { validateRequest } from "./validate.js";
import { MissingRowsError, type Preload } from "../store/preload.js";
import type { RequestContext } from "../context/request-context.js";
import type { OperationContext } from "../context/operation-context.js";

/** Services that the steps of the pipeline use. */
export interface PipelineServices {
  readonly handlers: OperationHandlers;
  readonly faults: InstalledFaults;
}

/**
 * Runs a request: route, authenticate, limit, validate, authorize, prepare, check, require an approval, execute. A step rejects by throwing a
 * `RequestError`. The result is a promise only when a step has to wait.
 */
export const runPipeline = (
  services: PipelineServices,
  exchange: Exchange,
): PipelineOutcome | Promise<PipelineOutcome> => {
  const { request, path, context } = exchange;
  if (!isApiPath(path) || path === contractPath) {
    const endpoint = context.findEndpoint(request.method, path);
    if (endpoint) return runEndpoint(services, exchange, endpoint);
  } else if (request.method === "OPTIONS") return respondToPreflight(exchange);
  const matchedRoute = matchRoute(request.method, path);
  exchange.operation = matchedRoute.operation;
  return runWithFault(services, exchange, matchedRoute.operation.id, () =>
    runOperation(services, exchange, matchedRoute),
  );
};

const runEndpoint = (
  services: PipelineServices,
  exchange: Exchange,
  endpoint: Endpoint,
): PipelineOutcome | Promise<PipelineOutcome> => {
  const { context, request, search } = exchange;
  exchange.endpoint = endpoint;
  const respond = (): PipelineOutcome | Promise<PipelineOutcome> =>
    endpoint.respond(context, request, search);
  return endpoint.id === null ? respond() : runWithFault(services, exchange, endpoint.id, respond);
};

const respondToPreflight = ({ request, path }: Exchange): PipelineOutcome => {
  const headers = buildPreflightHeaders(
    listAllowedMethods(path),
    getHeader(request, "access-control-request-headers"),
  );
  return { status: 204, code: null, headers };
};

const runWithFault = (
  { faults }: PipelineServices,
  exchange: Exchange,
  target: FaultTarget,
  proceed: () => PipelineOutcome | Promise<PipelineOutcome>,
): PipelineOutcome | Promise<PipelineOutcome> => {
  const { faultResult } = exchange;
  if (faultResult) {
    // The latency is over.
    return faultResult.fault
      ? applyFault({ ...faultResult.fault, latency: 0 }, exchange, proceed)
      : proceed();
  }
  if (!faults.hasFaults) return proceed();
  return mapAwaitable(faults.strike(target), (fault) => {
    exchange.faultResult = { fault };
    return fault ? applyFault(fault, exchange, proceed) : proceed();
  });
};

const runOperation = (
  services: PipelineServices,
  exchange: Exchange,
  route: Route,
): PipelineOutcome | Promise<PipelineOutcome> =>
  mapAwaitable(verifyBearer(exchange.context.authenticator, exchange.request), (token) =>
    runWithVerifiedToken(services, exchange, route, token),
  );

/** Runs the steps of a request whose token is verified: in one transaction, unless it has to be prepared. */
const runWithVerifiedToken = (
  services: PipelineServices,
  exchange: Exchange,
  route: Route,
  token: VerifiedToken | undefined,
): PipelineOutcome | Promise<PipelineOutcome> => {
  const { operation } = route;
  const { context: requestContext } = exchange;
  const handler: AnyOperationHandler = services.handlers[operation.id];
  const isPrepared = needsPreparation(operation, handler);
  const workspaceId = token?.principal.workspaceId;
  const transactionOptions: TransactionOptions = {
    mode: isPrepared ? "read" : chooseMode(operation.method),
    locks: workspaceId === undefined ? [] : [workspaceId],
  };
  const handled = requestContext.transact(
    transactionOptions,
    (context) => {
      const principal = authenticate(requestContext.authenticator, context, token);
      const request = authorizeRequest(exchange, route, principal, context);
      const readyRequest: ReadyRequest = {
        handler,
        request,
        preparationResults: noPreparation,
        requireApproval: requireApprovalIfNeeded,
      };
      return {
        readyRequest,
        handlerResult: isPrepared ? undefined : runHandler(requestContext, context, readyRequest),
      };
    },
    () =>
      token === undefined ? [] : listRequestPreloads(requestContext, token, route, exchange.search, handler),
  );
  return mapAwaitable(handled, ({ readyRequest, handlerResult }) =>
    handlerResult
      ? mapAwaitable(waitForJob(requestContext, readyRequest, handlerResult), toOutcome)
      : runPreparation(requestContext, handler, readyRequest.request)
          .then((preparationResults) =>
            performOperation(requestContext, { ...readyRequest, preparationResults }),
          )
          .then(toOutcome),
  );
};

/** Returns the rows that a request probably reads, so that they are loaded together. */
export const listRequestPreloads = (
  requestContext: Pick<RequestContext, "listCountPreloads"> & {
    readonly authenticator: Pick<Authenticator, "preloads">;
  },
  token: VerifiedToken,
  route: Route,
  search: string,
  { preloads }: Pick<AnyOperationHandler, "preloads">,
): Preload[] => {
  const { operation } = route;
  const { principal } = token;
  const path = canonicalizePathIds(route);
  return [
    ...requestContext.listCountPreloads(operation.id, principal),
    ...requestContext.authenticator.preloads(token),
    ...listPathPreloads(operation, path),
    ...(preloads?.({ principal, path, search }) ?? []),
  ];
};

/** Counts, validates and authorizes a request. */
const authorizeRequest = (
  exchange: Exchange,
  route: Route,
  principal: Principal,
  context: OperationContext,
): AuthorizedRequest => {
  const { operation } = route;
  const { request, search } = exchange;
  exchange.principal = principal;
  exchange.rateLimitResult ??= catchRateLimitError(() => context.countRequest(operation.id, principal));
  if ("error" in exchange.rateLimitResult) throw exchange.rateLimitResult.error;
  exchange.headers = exchange.rateLimitResult.headers;
  const { limits, unknownFields } = context.settings;
  const validRequest = validateRequest(
    route,
    search,
    parseRequestBody(operation, request, limits),
    unknownFields,
  );
  exchange.validRequest = validRequest;
  assertAuthorized(operation, principal);
  if (validRequest.missingResourceType !== undefined) throw errors.notFound(validRequest.missingResourceType);
  return { operation, principal, validRequest };
};

const catchRateLimitError = (count: () => Record<string, string> | undefined): RateLimitResult => {
  try {
    return { headers: count() };
  } catch (error) {
    if (error instanceof MissingRowsError) throw error;
    return { error };
  }
};

const toOutcome = ({ status, body, json, headers }: SuccessResponse): PipelineOutcome => ({
  status,
  body,
  json,
  headers,
  code: null,
});
