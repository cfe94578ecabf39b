import { authenticate } from "./authenticate.js";
import type { OperationId } from "../generated/operations.js";
import type { OAuthAnswer } from "../oauth/answer.js";
import { approvalIdAt, showApproval } from "../oauth/approval-address.js";
import { type OAuthEndpoint, oauthEndpointAt } from "../oauth/paths.js";
import { RequestError } from "./request-error.js";
import { authorize } from "./authorize.js";
import type { Answer, Behavior, Behaviors, Call } from "./behavior.js";
import { isCorsPath, preflightHeaders } from "./cors.js";
import { errors } from "./errors.js";
import { type EngineRequest, type Exchange, type Outcome, header } from "./exchange.js";
import { type Fault, type Faults, faultAnswer, oauthFaultAnswer } from "./faults.js";
import { gate } from "./gate.js";
import type { OperationEntry } from "./operation.js";
import type { Principal } from "./principal.js";
import type { RateLimiter } from "./rate-limiter.js";
import { readBody } from "./read-body.js";
import { type Route, methodsOf, route } from "./router.js";
import { shownPath } from "./shown-path.js";
import { takeUpload, uploadOf } from "./uploads.js";
import { type ValidRequest, validate } from "./validate.js";
import type { ServerWorld } from "./world.js";

/** What the steps of a request work with. */
export interface PipelineParts {
  readonly behaviors: Behaviors;
  readonly rateLimiter: RateLimiter;
  readonly faults: Faults;
}

/**
 * The way of a request: route, authenticate, limit, validate, authorize, check, approve, act (§ Reading requests, order of
 * checks). Each step throws an `RequestError` to refuse. It waits only where a signature, a behavior or a fault makes it.
 */
export const runPipeline = (parts: PipelineParts, exchange: Exchange): Outcome | Promise<Outcome> => {
  const { request, path } = exchange;
  const upload = uploadOf(path);
  if (upload) return takeUpload(exchange.world, upload, request);
  const endpoint = oauthEndpointAt(path);
  if (endpoint) return askAuthorizationServer(parts, exchange, endpoint);
  const approvalId = approvalIdAt(request, path);
  if (approvalId !== undefined) return outcomeOf(showApproval(exchange.world, request, approvalId));
  if (request.method === "OPTIONS" && isCorsPath(path)) return preflight(request, path);
  const target = route(request.method, path);
  exchange.operation = target.operation;
  const fault = parts.faults.any ? parts.faults.strike(target.operation.id) : undefined;
  const proceed = (): Outcome | Promise<Outcome> => identify(parts, exchange, target);
  return fault ? play(exchange, fault, proceed) : proceed();
};

const askAuthorizationServer = (
  { faults }: PipelineParts,
  exchange: Exchange,
  endpoint: OAuthEndpoint,
): Promise<Outcome> => {
  const { world, request, search } = exchange;
  exchange.oauth = { endpoint, noted: {} };
  const fault = faults.any ? faults.strike(`oauth.${endpoint}`) : undefined;
  const proceed = async (): Promise<Outcome> => {
    const { noted, ...answer } = await world.oauth.answer(endpoint, request, search);
    exchange.oauth = { endpoint, noted };
    return outcomeOf(answer);
  };
  return fault ? play(exchange, fault, proceed) : proceed();
};

const outcomeOf = ({ status, headers, body, code }: OAuthAnswer): Outcome => ({
  status,
  headers,
  code,
  ...(body && { raw: body }),
});

const preflight = (request: EngineRequest, path: string): Outcome => {
  const methods = methodsOf(path);
  if (!methods) throw errors.routeNotFound(shownPath(path));
  const headers = preflightHeaders(methods, header(request, "access-control-request-headers"));
  return { status: 204, code: null, headers };
};

const play = async (
  exchange: Exchange,
  fault: Fault,
  proceed: () => Outcome | Promise<Outcome>,
): Promise<Outcome> => {
  const { latency = 0, status } = fault;
  if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
  if (fault.drop === "before") return { status: 0, code: null, dropped: "unanswered" };
  if (status !== undefined) {
    const answer = exchange.oauth
      ? oauthFaultAnswer({ ...fault, status })
      : faultAnswer({ ...fault, status });
    const codes = exchange.operation?.answers[status] ?? [];
    exchange.foreign =
      fault.code !== undefined || !(answer instanceof RequestError && codes.includes(answer.code));
    throw answer;
  }
  const outcome = await proceed();
  if (fault.drop === undefined) return outcome;
  return { ...outcome, dropped: fault.drop === "midway" ? "midway" : "unanswered" };
};

const identify = (parts: PipelineParts, exchange: Exchange, target: Route): Outcome | Promise<Outcome> => {
  const principal = authenticate(exchange.world.tokens, header(exchange.request, "authorization"));
  return principal instanceof Promise
    ? principal.then((known) => read(parts, exchange, target, known))
    : read(parts, exchange, target, principal);
};

const read = (
  parts: PipelineParts,
  exchange: Exchange,
  target: Route,
  principal: Principal,
): Outcome | Promise<Outcome> => {
  const { operation } = target;
  const { request, world } = exchange;
  exchange.principal = principal;
  if (operation.rateLimited) exchange.headers = parts.rateLimiter.count(principal);
  const json = readBody(operation, request, header(request, "content-type"), world.settings.limits);
  const valid = validate(target, exchange.search, json);
  exchange.valid = valid;
  authorize(operation, principal);
  if (valid.missing !== undefined) throw errors.notFound(valid.missing);

  const secrets = operation.secretFields.flatMap((field) => {
    const secret = valid.body[field];
    return typeof secret === "string" ? [secret] : [];
  });
  if (secrets.length === 0) return behave(world, parts.behaviors, operation, principal, valid);
  return Promise.all(secrets.map((secret) => world.tokens.authenticate(secret))).then(() =>
    behave(world, parts.behaviors, operation, principal, valid),
  );
};

const callOf = (
  world: ServerWorld,
  operation: OperationEntry,
  principal: Principal,
  { path, query, body }: ValidRequest,
): Call => {
  const { id: operationId, foreignStatus } = operation;
  const call: Record<keyof Call, unknown> = {
    operationId,
    world,
    principal,
    path,
    query,
    body,
    foreignStatus,
  };
  // The operation's own validators have proved that path, query and body are what its behavior reads.
  return call as unknown as Call;
};

/** Check and act alone. */
export const performValid = (
  world: ServerWorld,
  behaviors: Behaviors,
  operation: OperationEntry,
  principal: Principal,
  valid: ValidRequest,
): Answer | Promise<Answer> => {
  const call = callOf(world, operation, principal, valid);
  const behavior: Behavior<OperationId, unknown> = behaviors[operation.id];
  return behavior.act(call, behavior.check(call));
};

const behave = (
  world: ServerWorld,
  behaviors: Behaviors,
  operation: OperationEntry,
  principal: Principal,
  valid: ValidRequest,
): Outcome | Promise<Outcome> => {
  const call = callOf(world, operation, principal, valid);
  const behavior: Behavior<OperationId, unknown> = behaviors[operation.id];
  const checked = behavior.check(call);
  const consumption = gate(world, operation, principal, valid);
  consumption?.commit();
  try {
    const answer = behavior.act(call, checked);
    if (!(answer instanceof Promise)) return succeed(answer);
    return answer.then(succeed, (error: unknown) => {
      consumption?.undo();
      throw error;
    });
  } catch (error) {
    consumption?.undo();
    throw error;
  }
};

const succeed = ({ status, body, headers }: Answer): Outcome => ({ status, body, headers, code: null });
