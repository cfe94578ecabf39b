import { approve } from "./approve.js";
import { authenticate } from "./authenticate.js";
import { authorize } from "./authorize.js";
import type { AnyBehavior, Behaviors, Success } from "./behavior.js";
import { contractPath } from "./contract-endpoint.js";
import { preflightHeaders } from "./cors.js";
import type { Endpoint } from "./endpoint.js";
import { errors } from "./errors.js";
import type { Exchange } from "./exchange.js";
import type { FaultTarget, Faults } from "./faults.js";
import type { RateLimiter } from "./limit.js";
import { type Outcome, header } from "./message.js";
import { perform } from "./perform.js";
import { playFault } from "./play-fault.js";
import { type Prepared, prepare } from "./prepare.js";
import type { Principal } from "./principal.js";
import { readBody } from "./read-body.js";
import { type Route, isApiPath, methodsOf, route, shownPath } from "./route.js";
import { validate } from "./validate.js";

/** Services that the steps of the pipeline use. */
export interface PipelineParts {
  readonly behaviors: Behaviors;
  readonly rateLimiter: RateLimiter;
  readonly faults: Faults;
}

/**
 * Runs a request: route, authenticate, limit, validate, authorize, prepare, check, approve, act. A step refuses by throwing a
 * `RequestError`. The result is a promise only when a step has to wait.
 */
export const runPipeline = (parts: PipelineParts, exchange: Exchange): Outcome | Promise<Outcome> => {
  const { request, path, world } = exchange;
  if (!isApiPath(path) || path === contractPath) {
    const endpoint = world.findEndpoint(request.method, path);
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
  const { world, request, search } = exchange;
  exchange.endpoint = endpoint;
  const respond = (): Outcome | Promise<Outcome> => endpoint.respond(world, request, search);
  return endpoint.id === null ? respond() : withFault(parts, exchange, endpoint.id, respond);
};

const preflight = ({ request, path }: Exchange): Outcome => {
  const methods = methodsOf(path);
  if (!methods) throw errors.routeNotFound(shownPath(path));
  const headers = preflightHeaders(methods, header(request, "access-control-request-headers"));
  return { status: 204, code: null, headers };
};

const withFault = (
  { faults }: PipelineParts,
  exchange: Exchange,
  target: FaultTarget,
  proceed: () => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> => {
  const fault = faults.any ? faults.strike(target) : undefined;
  return fault ? playFault(fault, exchange, proceed) : proceed();
};

const runOperation = (
  parts: PipelineParts,
  exchange: Exchange,
  target: Route,
): Outcome | Promise<Outcome> => {
  const { world, request } = exchange;
  const principal = authenticate(world.authenticator, world, request);
  return principal instanceof Promise
    ? principal.then((known) => runAuthenticated(parts, exchange, target, known))
    : runAuthenticated(parts, exchange, target, principal);
};

const runAuthenticated = (
  parts: PipelineParts,
  exchange: Exchange,
  target: Route,
  principal: Principal,
): Outcome | Promise<Outcome> => {
  const { operation } = target;
  const { world, request, search } = exchange;
  exchange.principal = principal;
  exchange.headers = parts.rateLimiter.count(operation.id, principal, world.clock.now());
  const { limits, unknownFields } = world.settings;
  const valid = validate(target, search, readBody(operation, request, limits), unknownFields);
  exchange.valid = valid;
  authorize(operation, principal);
  if (valid.missing !== undefined) throw errors.notFound(valid.missing);
  const authorized = { operation, principal, valid };
  const behavior: AnyBehavior = parts.behaviors[operation.id];
  const prepared = prepare(world, behavior, authorized);
  const run = (ready: Prepared): Outcome | Promise<Outcome> => {
    const success = perform(world, behavior, authorized, ready, approve);
    return success instanceof Promise ? success.then(succeed) : succeed(success);
  };
  return prepared instanceof Promise ? prepared.then(run) : run(prepared);
};

const succeed = ({ status, body, headers }: Success): Outcome => ({ status, body, headers, code: null });
