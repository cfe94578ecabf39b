import { loadValidators } from "#validators";
import { type OperationId, operations } from "../generated/operations.js";
import type { AuthorizedRequest } from "./authorize.js";
import { isPromiseLike } from "../values/awaitable.js";
import type { AnyOperationHandler, SuccessResponse } from "../context/operation-handler.js";
import { findContractViolation } from "./contract-check.js";
import { corsHeaders } from "./cors.js";
import { DatabaseUnavailableError, OutcomeUnknownError } from "../context/database-engine.js";
import { errors } from "../values/errors.js";
import type { Exchange } from "./exchange.js";
import {
  type EngineRequest,
  type EngineResponse,
  type PipelineOutcome,
  toErrorOutcome,
} from "../values/message.js";
import { chooseMode, performOperation } from "./perform.js";
import { type PipelineServices, runPipeline } from "./pipeline.js";
import { needsPreparation, noPreparation, runPreparation } from "./preparation.js";
import type { Principal } from "../values/principal.js";
import { getMaxBodyBytes, absentBody } from "./request-body.js";
import { RequestError } from "../values/request-error.js";
import { type RequestLog, createLogEntry } from "./request-log.js";
import { replaceWithPublicCode } from "./public-codes.js";
import { isApiPath, findOperation } from "./route.js";
import { StateChangedError } from "../values/state-changed-error.js";
import type { RequestContext } from "../context/request-context.js";
import { validateRequest } from "./validate.js";

/** The services that the engine needs besides the rows. */
export interface EngineServices extends PipelineServices {
  readonly log: RequestLog;
  /** Returns the context for the next request. */
  readonly getRequestContext: () => RequestContext;
  /** Whether to check each response against the contract. One that violates it is replaced by a 500. */
  readonly validateResponses: boolean;
  /** Called with every error that is not a rejection. */
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
  #requestCount = 0;

  constructor(private readonly services: EngineServices) {}

  /** Handles a request. Never throws or rejects. */
  handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    this.#requestCount += 1;
    const requestId = this.services.requestIdPrefix + this.#requestCount.toString(36);
    const openExchange = (): Exchange => this.#openExchange(request, requestId);
    const validatorsLoading = loadValidators();
    if (!validatorsLoading) return this.#runAttempt(openExchange(), 1);
    return validatorsLoading.then(
      () => this.#runAttempt(openExchange(), 1),
      (error: unknown) => {
        const exchange = openExchange();
        return this.#respond(exchange, this.#toOutcome(exchange, error));
      },
    );
  }

  #runAttempt(exchange: Exchange, attempt: number): EngineResponse | Promise<EngineResponse> {
    const { request } = exchange;
    try {
      const outcome = runPipeline(this.services, exchange);
      if (!isPromiseLike(outcome)) return this.#respondWhenSaved(exchange, outcome);
      return outcome.then(
        (settledOutcome) => this.#respondWhenSaved(exchange, settledOutcome),
        (error: unknown) =>
          error instanceof StateChangedError && attempt < maxAttempts
            ? this.#runAttempt(
                { ...this.#openExchange(request, exchange.requestId), faultResult: exchange.faultResult },
                attempt + 1,
              )
            : this.#respondWhenSaved(exchange, this.#toOutcome(exchange, error)),
      );
    } catch (error) {
      return this.#respondWhenSaved(exchange, this.#toOutcome(exchange, error));
    }
  }

  /** Returns how to read the body of a request with this method and path. */
  bodyPolicy(method: string, path: string): BodyPolicy {
    const [pathname = ""] = path.split("?", 1);
    const context = this.services.getRequestContext();
    const { limits } = context.settings;
    const endpoint = isApiPath(pathname) ? undefined : context.findEndpoint(method, pathname);
    if (endpoint) return { limit: endpoint.bodyLimit(method, limits), discarded: endpoint.discardsBody };
    const operation = findOperation(method, pathname);
    const readsBody = operation !== undefined && operation.body !== "none";
    return { limit: readsBody ? getMaxBodyBytes(operation, limits) : 0, discarded: false };
  }

  /**
   * Runs an operation for a principal, without the steps that apply only to requests: rate limit, faults, approval,
   * log.
   *
   * @throws RequestError when the operation is rejected.
   */
  async perform(
    principal: Principal,
    operationId: OperationId,
    parameters: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<SuccessResponse> {
    await loadValidators();
    const operation = operations[operationId];
    // The copy has no undefined fields, like the body of a request. Validation adds defaults to it.
    const json: unknown = body === undefined ? absentBody : JSON.parse(JSON.stringify(body));
    const request = {
      operation,
      principal,
      validRequest: validateRequest({ operation, parameters }, "", json, "refuse"),
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#performOnce(request);
      } catch (error) {
        if (!(error instanceof StateChangedError) || attempt === maxAttempts) throw error;
      }
    }
  }

  async #performOnce(request: AuthorizedRequest): Promise<SuccessResponse> {
    const { operation } = request;
    const context = this.services.getRequestContext();
    const handler: AnyOperationHandler = this.services.handlers[operation.id];
    const preparation = needsPreparation(operation, handler)
      ? await runPreparation(context, handler, request)
      : noPreparation;
    const success = await performOperation(context, {
      handler,
      request,
      preparationResults: preparation,
      requireApproval: () => undefined,
    });
    await context.waitUntilSaved();
    return success;
  }

  #openExchange(request: EngineRequest, requestId: string): Exchange {
    const queryIndex = request.path.indexOf("?");
    const context = this.services.getRequestContext();
    return {
      context,
      request,
      requestId,
      path: queryIndex === -1 ? request.path : request.path.slice(0, queryIndex),
      search: queryIndex === -1 ? "" : request.path.slice(queryIndex + 1),
      arrivedAt: context.clock.now(),
      startedAt: performance.now(),
      operation: undefined,
      endpoint: undefined,
      principal: undefined,
      validRequest: undefined,
      rateLimitResult: undefined,
      faultResult: undefined,
      headers: undefined,
      isOutsideContract: false,
    };
  }

  #toOutcome({ request }: Exchange, error: unknown): PipelineOutcome {
    if (error instanceof RequestError) return toErrorOutcome(error);
    // With Retry-After, the response means that nothing was done.
    if (error instanceof OutcomeUnknownError && chooseMode(request.method) === "write")
      return toErrorOutcome(errors["internal:unavailable/outcome_unknown"]());
    if (error instanceof DatabaseUnavailableError) return toErrorOutcome(errors.unavailable(error.reason));
    if (error instanceof StateChangedError) return toErrorOutcome(errors.unavailable());
    this.services.onDefect(error);
    return toErrorOutcome(errors["internal:error"]());
  }

  /** Waits until all changes are stored, because the response may show the changes of another request. */
  #respondWhenSaved(exchange: Exchange, outcome: PipelineOutcome): EngineResponse | Promise<EngineResponse> {
    const waitUntilSaved = exchange.context.waitUntilSaved();
    if (!waitUntilSaved) return this.#respond(exchange, this.enforceContract(exchange, outcome));
    return waitUntilSaved.then(
      () => this.#respond(exchange, this.enforceContract(exchange, outcome)),
      (error: unknown) => this.#respond(exchange, this.#toOutcome(exchange, error)),
    );
  }

  /** Returns the outcome of a request, or a rejection in its place if it violates the contract. A method that tests can wrap. */
  private enforceContract(exchange: Exchange, outcome: PipelineOutcome): PipelineOutcome {
    const { operation, isOutsideContract } = exchange;
    if (!operation || isOutsideContract || outcome.dropped || !this.services.validateResponses)
      return outcome;
    const violation = findContractViolation(operation, outcome);
    return violation === undefined ? outcome : this.#toOutcome(exchange, new Error(violation));
  }

  #respond(exchange: Exchange, rawOutcome: PipelineOutcome): EngineResponse {
    const { requestId, request, path, context } = exchange;
    const isPublic =
      context.settings.errorCodes === "public" && isApiPath(path) && !exchange.isOutsideContract;
    const outcome = isPublic ? replaceWithPublicCode(rawOutcome, exchange.operation?.id) : rawOutcome;
    const headers: Record<string, string> = {
      "x-request-id": requestId,
      "cache-control": "no-store",
      ...exchange.headers,
      ...outcome.headers,
    };
    if (request.headers["origin"] !== undefined && isApiPath(path)) Object.assign(headers, corsHeaders);
    let body: string | undefined;
    if (outcome.rawBody) {
      headers["content-type"] = outcome.rawBody.contentType;
      body = outcome.rawBody.text;
    } else if (outcome.json !== undefined || outcome.body !== undefined) {
      headers["content-type"] = "application/json";
      body = outcome.json ?? JSON.stringify(outcome.body);
    }
    if (exchange.context.stateEpoch === this.services.getRequestContext().stateEpoch)
      this.services.log.add(createLogEntry(exchange, outcome), request.body?.length ?? 0);
    return {
      status: outcome.status,
      headers,
      body,
      ...(outcome.dropped && { dropped: body === undefined ? "unsent" : outcome.dropped }),
    };
  }
}
