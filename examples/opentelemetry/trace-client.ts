import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import { type Attempt, ConnectionError, MgmtError } from "@mgmt/sdk";
import { type Context, type Span, SpanKind, SpanStatusCode, context, trace } from "@opentelemetry/api";

/** What the SDK publishes about a call. */
interface CallEvent {
  method: string;
  /** Path template, such as `/v1/projects/{id}`. */
  path: string;
  error?: unknown;
}

/** What it publishes about each request of a call. */
interface AttemptEvent extends CallEvent {
  url: string;
  /** Counts from 1. */
  number: number;
  attempt: Attempt;
}

/**
 * Creates a span for every call of every client in the process, as a child of the active span, and below it a client span
 * for every HTTP request, including retries. Attributes follow OpenTelemetry's HTTP conventions; none contains a credential,
 * header, body, or query. Returns a function that stops tracing.
 */
export const traceClient = (): (() => void) => {
  const tracer = trace.getTracer("@mgmt/sdk");
  const contextOfCall = new AsyncLocalStorage<Context>();

  const startCall = ({ method, path }: CallEvent): Span =>
    tracer.startSpan(`${method} ${path}`, {
      attributes: { "http.request.method": method, "url.template": path },
    });

  const startAttempt = ({ method, path, url, number }: AttemptEvent): Span => {
    const { hostname, port, protocol } = new URL(url);
    const attributes = {
      "http.request.method": method,
      "url.template": path,
      "url.full": url.replace(/\?.*/s, ""),
      "server.address": hostname,
      "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
      ...(number > 1 ? { "http.request.resend_count": number - 1 } : {}),
    };
    const options = { kind: SpanKind.CLIENT, attributes };
    return tracer.startSpan(`${method} ${path}`, options, contextOfCall.getStore());
  };

  const endCall = (span: Span, { error }: CallEvent): void => {
    if (error !== undefined) fail(span, error instanceof MgmtError ? error.code : nameOf(error));
  };

  const endAttempt = (span: Span, { error, attempt: { status } }: AttemptEvent): void => {
    if (status !== undefined) span.setAttribute("http.response.status_code", status);
    if (error !== undefined) fail(span, error instanceof ConnectionError ? error.reason : nameOf(error));
    else if (status !== undefined && status >= 400) fail(span, String(status));
  };

  const stops = [
    spansOf("@mgmt/sdk:call", contextOfCall, startCall, endCall),
    spansOf("@mgmt/sdk:attempt", contextOfCall, startAttempt, endAttempt),
  ];
  return () => stops.forEach((stop) => stop());
};

/** Opens a span for each operation on a channel and runs the operation with the span in `store`. */
const spansOf = <Event extends object>(
  name: string,
  store: AsyncLocalStorage<Context>,
  start: (event: Event) => Span,
  end: (span: Span, event: Event) => void,
): (() => void) => {
  const channel = tracingChannel<Context, Event>(name);
  const open = new WeakMap<Event, Span>();
  const finish = (event: Event): void => {
    const span = open.get(event);
    if (!span) return;
    open.delete(event);
    end(span, event);
    span.end();
  };
  const handlers = { start: ignore, end: ignore, asyncStart: ignore, asyncEnd: finish, error: finish };
  channel.subscribe(handlers);
  channel.start.bindStore(store, (event) => {
    const span = start(event);
    open.set(event, span);
    return trace.setSpan(context.active(), span);
  });
  return () => {
    channel.start.unbindStore(store);
    channel.unsubscribe(handlers);
  };
};

const fail = (span: Span, type: string): void => {
  span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
};

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "_OTHER");

const ignore = (): void => undefined;
