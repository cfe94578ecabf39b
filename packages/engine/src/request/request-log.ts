import { observe } from "@mgmt/internal/observers/observe";
import { redactData } from "@mgmt/internal/redaction/redact";
import type { Exchange } from "./exchange.js";
import type { PipelineOutcome } from "../values/message.js";
import { maskPath } from "./route.js";

/** A request that the server has handled. Contains no headers, no response and no secrets. */
export interface LoggedRequest {
  readonly requestId: string;
  /** When the request arrived, in milliseconds since 1970 by the server's clock. */
  readonly at: number;
  readonly method: string;
  /** Without the query. Segments that may be secrets are `…`. */
  readonly path: string;
  /** Name of an endpoint such as `oauth.token` for the authorization server; null for an unknown path. */
  readonly operationId: string | null;
  /** It is null when the request was not authenticated. */
  readonly principal: {
    readonly kind: "user" | "service" | "agent";
    readonly subject: string;
    readonly workspaceId: string;
  } | null;
  /** Query parameters of the operation; null when they were not valid. */
  readonly query: Readonly<Record<string, unknown>> | null;
  /**
   * Body, with `[redacted]` instead of secrets; null when it was not valid. `[omitted]` once the bodies of later
   * requests in the log exceed 16 MiB.
   */
  readonly body: unknown;
  /** JSON pointers of body fields that were ignored because the contract does not have them. Empty if none were. */
  readonly ignoredFields: readonly string[];
  /** It is null when the connection was cut. */
  readonly status: number | null;
  /** Error code of the response; null for a success. */
  readonly code: string | null;
  /** Milliseconds of real time from the request to the response. */
  readonly duration: number;
  /** Id of the trace that the `traceparent` header continues; null without a valid one. See https://www.w3.org/TR/trace-context/. */
  readonly traceId: string | null;
}

/**
 * Version 00 ends with the flags. Later versions may continue after them.
 * See https://www.w3.org/TR/trace-context/#traceparent-header-field-values.
 */
const traceparentPattern =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|(?<!^00.*)-)/;

const readTraceId = (traceparent: string | readonly string[] | undefined): string | null =>
  (typeof traceparent === "string" && traceparentPattern.exec(traceparent)?.[1]) || null;

/** Bytes of request bodies that the log keeps. */
const maxLoggedBodyBytes = 16 * 1024 * 1024;

/** Stores the latest requests. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  /** Size of the body of each entry in bytes; 0 once it is omitted. */
  readonly #bodySizes: number[] = [];
  #bodyBytes = 0;
  /** Number of entries, counted from the oldest, whose bodies are omitted. */
  #omittedCount = 0;
  readonly #listeners = new Set<(entry: LoggedRequest) => void>();

  /** @param capacity number of requests that `list` returns at most. */
  constructor(private readonly capacity: number) {}

  /** @param bodySize size of the request body in bytes. */
  add(entry: LoggedRequest, bodySize: number): void {
    this.#entries.push(entry);
    const bytes = entry.body === null ? 0 : bodySize;
    this.#bodySizes.push(bytes);
    this.#bodyBytes += bytes;
    while (this.#bodyBytes > maxLoggedBodyBytes && this.#omittedCount < this.#entries.length)
      this.#omitOldestBody();
    if (this.#entries.length > this.capacity * 2) this.#removeOldest(this.#entries.length - this.capacity);
    for (const listener of this.#listeners) observe("followRequests", listener, entry);
  }

  #omitOldestBody(): void {
    const index = this.#omittedCount;
    this.#omittedCount += 1;
    const entry = this.#entries[index];
    const size = this.#bodySizes[index];
    if (!entry || !size) return;
    this.#entries[index] = { ...entry, body: "[omitted]" };
    this.#bodySizes[index] = 0;
    this.#bodyBytes -= size;
  }

  #removeOldest(count: number): void {
    this.#entries.splice(0, count);
    for (const size of this.#bodySizes.splice(0, count)) this.#bodyBytes -= size;
    this.#omittedCount = Math.max(0, this.#omittedCount - count);
  }

  /** Returns the latest requests, oldest first. */
  list(): LoggedRequest[] {
    return this.#entries.slice(-this.capacity);
  }

  /** Removes all requests. */
  clear(): void {
    this.#entries.length = 0;
    this.#bodySizes.length = 0;
    this.#bodyBytes = 0;
    this.#omittedCount = 0;
  }

  /**
   * Calls the listener for each further request. The first error that it throws is printed. Returns a function that removes the listener.
   */
  follow(listener: (entry: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Builds the entry of a request that has been handled, with its secrets replaced. */
export const createLogEntry = (exchange: Exchange, outcome: PipelineOutcome): LoggedRequest => {
  const { request, operation, endpoint, principal, validRequest } = exchange;
  return {
    requestId: exchange.requestId,
    at: exchange.arrivedAt,
    method: request.method,
    path: endpoint?.loggedPath ?? maskPath(exchange.path),
    operationId: operation?.id ?? endpoint?.id ?? null,
    principal: principal
      ? { kind: principal.kind, subject: principal.subject, workspaceId: principal.workspaceId }
      : null,
    query: validRequest ? redactQuery(validRequest.query) : null,
    body: getLoggedBody(exchange, outcome),
    ignoredFields: validRequest?.ignoredPointers ?? [],
    status: outcome.dropped ? null : outcome.status,
    code: outcome.code,
    duration: performance.now() - exchange.startedAt,
    traceId: readTraceId(request.headers["traceparent"]),
  };
};

const redactQuery = (query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const redactedQuery: Record<string, unknown> = {};
  for (const name in query) {
    const value = query[name];
    redactedQuery[name] = typeof value === "number" ? value : redactData(value);
  }
  return redactedQuery;
};

const getLoggedBody = (
  { operation, endpoint, validRequest }: Exchange,
  outcome: PipelineOutcome,
): unknown => {
  if (endpoint) return outcome.logged ?? (endpoint.id === null ? null : {});
  if (!validRequest || !operation || operation.body === "none") return null;
  // Settings may contain fields that the contract does not list.
  return redactData(validRequest.body);
};
