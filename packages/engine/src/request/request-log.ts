import type { Exchange } from "./exchange.js";
import type { Outcome } from "./message.js";
import { shownPath } from "./route.js";

/** A request that the server has handled. Contains no headers, no response and no field that the contract marks as secret. */
export interface LoggedRequest {
  readonly requestId: string;
  /** When the request arrived, in milliseconds since 1970 by the server's clock. */
  readonly at: number;
  readonly method: string;
  /** Without the query. Segments that may be secrets are `…`. */
  readonly path: string;
  /** Name of an endpoint such as `oauth.token` for the authorization server; null for an unknown path. */
  readonly operationId: string | null;
  /** Null when the request was not authenticated. */
  readonly principal: {
    readonly kind: "user" | "service" | "agent";
    readonly subject: string;
    readonly workspaceId: string;
  } | null;
  /** Query parameters of the operation; null when they were not valid. */
  readonly query: Readonly<Record<string, unknown>> | null;
  /** Body, with `[redacted]` in place of secrets; null when it was not valid. */
  readonly body: unknown;
  /** JSON pointers of body fields that were ignored because the contract does not have them. Empty if none were. */
  readonly ignoredFields: readonly string[];
  /** Null when the connection was cut. */
  readonly status: number | null;
  /** Error code of the response; null for a success. */
  readonly code: string | null;
  /** Milliseconds of real time from the request to the response. */
  readonly duration: number;
}

/** Stores the latest requests. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  readonly #listeners = new Set<(entry: LoggedRequest) => void>();

  /** @param capacity number of requests that `list` returns at most. */
  constructor(private readonly capacity: number) {}

  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.capacity * 2)
      this.#entries.splice(0, this.#entries.length - this.capacity);
    for (const listener of this.#listeners) listener(entry);
  }

  /** Returns the latest requests, oldest first. */
  list(): LoggedRequest[] {
    return this.#entries.slice(-this.capacity);
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** Calls the listener for each further request. Returns a function that removes the listener. */
  follow(listener: (entry: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export const logEntry = (exchange: Exchange, outcome: Outcome): LoggedRequest => {
  const { request, operation, endpoint, principal, valid } = exchange;
  return {
    requestId: exchange.requestId,
    at: exchange.at,
    method: request.method,
    path: endpoint?.shownPath ?? shownPath(exchange.path),
    operationId: operation?.id ?? endpoint?.id ?? null,
    principal: principal
      ? { kind: principal.kind, subject: principal.subject, workspaceId: principal.workspaceId }
      : null,
    query: valid?.query ?? null,
    body: loggedBody(exchange, outcome),
    ignoredFields: valid?.ignored ?? [],
    status: outcome.dropped ? null : outcome.status,
    code: outcome.code,
    duration: performance.now() - exchange.startedAt,
  };
};

const loggedBody = ({ operation, endpoint, valid }: Exchange, outcome: Outcome): unknown => {
  if (endpoint) return outcome.logged ?? (endpoint.id === null ? null : {});
  if (!valid || !operation || operation.body === "none") return null;
  const { body } = valid;
  const { secretFields } = operation;
  if (secretFields.length === 0) return body;
  const redact = ([name, value]: [string, unknown]) => [
    name,
    secretFields.includes(name) ? "[redacted]" : value,
  ];
  return Object.fromEntries(Object.entries(body).map(redact));
};
