import { type OperationId, operations } from "../generated/operations.js";
import { maxFormBytes } from "../oauth/form-body.js";
import { oauthEndpointAt } from "../oauth/paths.js";
import { RequestError } from "./request-error.js";
import type { Answer } from "./behavior.js";
import { contractViolation, isGatedBySettings } from "./contract-check.js";
import { corsHeaders, isCorsPath } from "./cors.js";
import type { Recorder } from "./coverage.js";
import { errors } from "./errors.js";
import { type EngineRequest, type EngineResponse, type Exchange, type Outcome, refusal } from "./exchange.js";
import { RawAnswer } from "./faults.js";
import { type PipelineParts, performValid, runPipeline } from "./pipeline.js";
import type { Principal } from "./principal.js";
import { bodyCap, noBody } from "./read-body.js";
import type { LoggedRequest, RequestLog } from "./request-log.js";
import { operationAt } from "./router.js";
import { shownPath } from "./shown-path.js";
import { uploadOf } from "./uploads.js";
import { validate } from "./validate.js";
import type { ServerWorld } from "./world.js";

/** What an engine is made of. */
export interface EngineParts extends PipelineParts {
  readonly log: RequestLog;
  /** The world of the moment. */
  readonly world: () => ServerWorld;
  readonly recorder: Recorder | undefined;
  /** Whether each answer is held against the contract; one that breaks it becomes a 500. */
  readonly validateAnswers: boolean;
  /** Told of every error that is no refusal. */
  readonly onDefect: (error: unknown) => void;
  /** Start of every request id. */
  readonly requestIdPrefix: string;
}

/** Answers requests that are plain data with answers that are plain data; at once where nothing has to be waited for. */
export class Engine {
  #requests = 0;

  constructor(private readonly parts: EngineParts) {}

  handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    const exchange = this.#open(request);
    try {
      const outcome = runPipeline(this.parts, exchange);
      if (!(outcome instanceof Promise)) return this.#settle(exchange, outcome);
      return outcome
        .catch((error: unknown) => this.#refuse(error))
        .then((settled) => this.#settle(exchange, settled));
    } catch (error) {
      return this.#settle(exchange, this.#refuse(error));
    }
  }

  /** How many bytes of a request's body are worth reading; 0 where the engine reads none. */
  bodyCap(method: string, path: string): number {
    const [pathname = ""] = path.split("?", 1);
    const { limits } = this.parts.world().settings;
    if (uploadOf(pathname)) return limits.upload;
    if (oauthEndpointAt(pathname)) return method === "POST" ? maxFormBytes : 0;
    const operation = operationAt(method, pathname);
    return operation === undefined || operation.body === "none" ? 0 : bodyCap(operation, limits);
  }

  /**
   * Does an operation in somebody's name, without the steps that only concern requests: no limit, fault, approval or log.
   * Throws the `RequestError` of a refusal.
   */
  async perform(
    principal: Principal,
    operationId: OperationId,
    parameters: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<Answer> {
    const target = { operation: operations[operationId], parameters };
    // The validators put defaults into what they check.
    const json: unknown = body === undefined ? noBody : structuredClone(body);
    const world = this.parts.world();
    const valid = validate(target, "", json);
    const answer = await performValid(world, this.parts.behaviors, target.operation, principal, valid);
    await world.changes.settle();
    return answer;
  }

  #open(request: EngineRequest): Exchange {
    this.#requests += 1;
    const mark = request.path.indexOf("?");
    const world = this.parts.world();
    return {
      world,
      request,
      requestId: this.parts.requestIdPrefix + this.#requests.toString(36),
      path: mark === -1 ? request.path : request.path.slice(0, mark),
      search: mark === -1 ? "" : request.path.slice(mark + 1),
      at: world.clock.now(),
      startedAt: performance.now(),
      operation: undefined,
      oauth: undefined,
      principal: undefined,
      valid: undefined,
      headers: undefined,
      foreign: false,
    };
  }

  #refuse(error: unknown): Outcome {
    if (error instanceof RequestError) return refusal(error);
    if (error instanceof RawAnswer) {
      return { status: error.status, code: null, raw: { text: error.body, contentType: error.contentType } };
    }
    this.parts.onDefect(error);
    return refusal(errors.internal());
  }

  #settle(exchange: Exchange, outcome: Outcome): EngineResponse | Promise<EngineResponse> {
    const kept = exchange.request.method === "GET" ? undefined : exchange.world.changes.settle();
    if (!kept) return this.#answer(exchange, this.#hold(exchange, outcome));
    return kept.then(
      () => this.#answer(exchange, this.#hold(exchange, outcome)),
      (error: unknown) => this.#answer(exchange, this.#refuse(error)),
    );
  }

  /** Holds the answer against the contract and notes that it was given. */
  #hold(exchange: Exchange, outcome: Outcome): Outcome {
    const { operation, foreign } = exchange;
    if (!operation || foreign || outcome.dropped) return outcome;
    const violation = this.parts.validateAnswers ? contractViolation(operation, outcome) : undefined;
    if (!isGatedBySettings(operation, outcome.code)) {
      this.parts.recorder?.(operation.id, outcome.status, outcome.code);
    }
    return violation === undefined ? outcome : this.#refuse(new Error(violation));
  }

  #answer(exchange: Exchange, outcome: Outcome): EngineResponse {
    const { requestId, request, path } = exchange;
    const headers: Record<string, string> = {
      "x-request-id": requestId,
      "cache-control": "no-store",
      ...exchange.headers,
      ...outcome.headers,
    };
    if (request.headers["origin"] !== undefined && isCorsPath(path)) Object.assign(headers, corsHeaders);
    let body: string | undefined;
    if (outcome.raw) {
      headers["content-type"] = outcome.raw.contentType;
      body = outcome.raw.text;
    } else if (outcome.body !== undefined) {
      headers["content-type"] = "application/json";
      body = JSON.stringify(outcome.body);
    }
    if (exchange.world === this.parts.world()) this.parts.log.add(logEntry(exchange, outcome));
    return {
      status: outcome.status,
      headers,
      body,
      ...(outcome.dropped && { dropped: body === undefined ? "unanswered" : outcome.dropped }),
    };
  }
}

const logEntry = (exchange: Exchange, outcome: Outcome): LoggedRequest => {
  const { request, operation, oauth, principal, valid } = exchange;
  return {
    requestId: exchange.requestId,
    at: exchange.at,
    method: request.method,
    path: shownPath(exchange.path),
    operationId: operation?.id ?? (oauth ? `oauth.${oauth.endpoint}` : null),
    principal: principal ? { kind: principal.kind, subject: principal.subject } : null,
    query: valid?.query ?? null,
    body:
      valid && operation && operation.body !== "none"
        ? redact(valid.body, operation.secretFields)
        : (oauth?.noted ?? null),
    status: outcome.dropped ? null : outcome.status,
    code: outcome.code,
    duration: performance.now() - exchange.startedAt,
  };
};

const redact = (body: Record<string, unknown>, secrets: readonly string[]): Record<string, unknown> =>
  secrets.length === 0
    ? body
    : Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, secrets.includes(name) ? "[redacted]" : value]),
      );
