import { loadValidators } from "#validators";
import { type OperationId, operations } from "../generated/operations.js";
import type { AuthorizedRequest } from "./authorize.js";
import { isPromise } from "../values/awaitable.js";
import type { AnyOperationHandler, Success } from "../context/operation-handler.js";
import { contractViolation, isGatedBySettings } from "./contract-check.js";
import { corsHeaders } from "./cors.js";
import type { Recorder } from "./coverage.js";
import { DatabaseUnavailableError, OutcomeUnknownError } from "../context/database-engine.js";
import { errors } from "../values/errors.js";
import type { Exchange } from "./exchange.js";
import { type EngineRequest, type EngineResponse, type Outcome, refusal } from "../values/message.js";
import { modeOf, perform } from "./perform.js";
import { type PipelineParts, runPipeline } from "./pipeline.js";
import { needsPreparation, nothingPrepared, prepare } from "./prepare.js";
import type { Principal } from "../values/principal.js";
import { bodyLimit, noBody } from "./read-body.js";
import { RequestError } from "../values/request-error.js";
import { type RequestLog, logEntry } from "./request-log.js";
import { withPublicCode } from "./public-codes.js";
import { isApiPath, operationAt } from "./route.js";
import { StateChangedError } from "../values/state-changed-error.js";
import type { RequestContext } from "../context/request-context.js";
import { validate } from "./validate.js";

export interface EngineParts extends PipelineParts {
  readonly log: RequestLog;
  /** Returns the context for the next request. */
  readonly context: () => RequestContext;
  readonly recorder: Recorder | undefined;
  /** Whether to check each response against the contract. One that violates it is replaced by a 500. */
  readonly validateResponses: boolean;
  /** Called with every error that is not a refusal. */
  readonly onDefect: (error: unknown) => void;
  readonly requestIdPrefix: string;
}

/** How a server reads the body of a request. */
export interface BodyPolicy {
  /** Maximum number of bytes to read; 0 when the body is ignored. */
  readonly limit: number;
  /** Whether the bytes are only counted. */
  readonly discarded: boolean;
}

/** Limits how often a request runs again because the state of the server has changed. */
const maxAttempts = 100;

/** Handles requests. Requests and responses are plain data; a response is a promise only when a step has to wait. */
export class Engine {
  #requests = 0;

  constructor(private readonly parts: EngineParts) {}

  /** Handles a request. Never throws or rejects. */
  handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    this.#requests += 1;
    const requestId = this.parts.requestIdPrefix + this.#requests.toString(36);
    const open = (): Exchange => this.#open(request, requestId);
    const loading = loadValidators();
    if (!loading) return this.#run(open(), 1);
    return loading.then(
      () => this.#run(open(), 1),
      (error: unknown) => {
        const exchange = open();
        return this.#respond(exchange, this.#refuse(exchange, error));
      },
    );
  }

  #run(exchange: Exchange, attempt: number): EngineResponse | Promise<EngineResponse> {
    const { request } = exchange;
    try {
      const outcome = runPipeline(this.parts, exchange);
      if (!isPromise(outcome)) return this.#save(exchange, outcome);
      return outcome.then(
        (known) => this.#save(exchange, known),
        (error: unknown) =>
          error instanceof StateChangedError && attempt < maxAttempts
            ? this.#run({ ...this.#open(request, exchange.requestId), struck: exchange.struck }, attempt + 1)
            : this.#save(exchange, this.#refuse(exchange, error)),
      );
    } catch (error) {
      return this.#save(exchange, this.#refuse(exchange, error));
    }
  }

  /** Returns how to read the body of a request with this method and path. */
  bodyPolicy(method: string, path: string): BodyPolicy {
    const [pathname = ""] = path.split("?", 1);
    const context = this.parts.context();
    const { limits } = context.settings;
    const endpoint = isApiPath(pathname) ? undefined : context.findEndpoint(method, pathname);
    if (endpoint) return { limit: endpoint.bodyLimit(method, limits), discarded: endpoint.discardsBody };
    const operation = operationAt(method, pathname);
    const isRead = operation !== undefined && operation.body !== "none";
    return { limit: isRead ? bodyLimit(operation, limits) : 0, discarded: false };
  }

  /**
   * Runs an operation for a principal, without the steps that apply only to requests: rate limit, faults, approval,
   * log.
   *
   * @throws RequestError when the operation is refused.
   */
  async perform(
    principal: Principal,
    operationId: OperationId,
    parameters: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<Success> {
    await loadValidators();
    const operation = operations[operationId];
    // As a request carries it: without fields that are undefined. Validation adds defaults to this copy.
    const json: unknown = body === undefined ? noBody : JSON.parse(JSON.stringify(body));
    const request = { operation, principal, valid: validate({ operation, parameters }, "", json, "refuse") };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#perform(request);
      } catch (error) {
        if (!(error instanceof StateChangedError) || attempt === maxAttempts) throw error;
      }
    }
  }

  async #perform(request: AuthorizedRequest): Promise<Success> {
    const { operation } = request;
    const context = this.parts.context();
    const handler: AnyOperationHandler = this.parts.handlers[operation.id];
    const prepared = needsPreparation(operation, handler)
      ? await prepare(context, handler, request)
      : nothingPrepared;
    const success = await perform(context, { handler, request, prepared, approve: () => undefined });
    await context.saved();
    return success;
  }

  #open(request: EngineRequest, requestId: string): Exchange {
    const mark = request.path.indexOf("?");
    const context = this.parts.context();
    return {
      context,
      request,
      requestId,
      path: mark === -1 ? request.path : request.path.slice(0, mark),
      search: mark === -1 ? "" : request.path.slice(mark + 1),
      at: context.clock.now(),
      startedAt: performance.now(),
      operation: undefined,
      endpoint: undefined,
      principal: undefined,
      valid: undefined,
      counted: undefined,
      struck: undefined,
      headers: undefined,
      foreign: false,
    };
  }

  #refuse({ request }: Exchange, error: unknown): Outcome {
    if (error instanceof RequestError) return refusal(error);
    // With Retry-After, the response says that nothing was done.
    if (error instanceof OutcomeUnknownError && modeOf(request.method) === "write")
      return refusal(errors.outcomeUnknown());
    if (error instanceof DatabaseUnavailableError) return refusal(errors.unavailable(error.reason));
    if (error instanceof StateChangedError) return refusal(errors.unavailable());
    this.parts.onDefect(error);
    return refusal(errors.internal());
  }

  /** Waits until all changes are stored, because the response may show the changes of another request. */
  #save(exchange: Exchange, outcome: Outcome): EngineResponse | Promise<EngineResponse> {
    const saved = exchange.context.saved();
    if (!saved) return this.#respond(exchange, this.#checkContract(exchange, outcome));
    return saved.then(
      () => this.#respond(exchange, this.#checkContract(exchange, outcome)),
      (error: unknown) => this.#respond(exchange, this.#refuse(exchange, error)),
    );
  }

  #checkContract(exchange: Exchange, outcome: Outcome): Outcome {
    const { operation, foreign } = exchange;
    if (!operation || foreign || outcome.dropped) return outcome;
    const violation = this.parts.validateResponses ? contractViolation(operation, outcome) : undefined;
    if (!isGatedBySettings(operation, outcome.code)) {
      this.parts.recorder?.(operation.id, outcome.status, outcome.code);
    }
    return violation === undefined ? outcome : this.#refuse(exchange, new Error(violation));
  }

  #respond(exchange: Exchange, refusedOrDone: Outcome): EngineResponse {
    const { requestId, request, path, context } = exchange;
    const isPublic = context.settings.errorCodes === "public" && isApiPath(path) && !exchange.foreign;
    const outcome = isPublic ? withPublicCode(refusedOrDone, exchange.operation?.id) : refusedOrDone;
    const headers: Record<string, string> = {
      "x-request-id": requestId,
      "cache-control": "no-store",
      ...exchange.headers,
      ...outcome.headers,
    };
    if (request.headers["origin"] !== undefined && isApiPath(path)) Object.assign(headers, corsHeaders);
    let body: string | undefined;
    if (outcome.raw) {
      headers["content-type"] = outcome.raw.contentType;
      body = outcome.raw.text;
    } else if (outcome.json !== undefined || outcome.body !== undefined) {
      headers["content-type"] = "application/json";
      body = outcome.json ?? JSON.stringify(outcome.body);
    }
    if (exchange.context.epoch === this.parts.context().epoch)
      this.parts.log.add(logEntry(exchange, outcome), request.body?.length ?? 0);
    return {
      status: outcome.status,
      headers,
      body,
      ...(outcome.dropped && { dropped: body === undefined ? "unsent" : outcome.dropped }),
    };
  }
}
