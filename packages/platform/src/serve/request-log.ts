import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SpanKind, context, propagation, trace } from "@opentelemetry/api";
import type { LoggedRequest } from "@mgmt/engine";
import type { Logger } from "pino";
import type { ServiceMetrics } from "./metrics.js";

/** The address of the client of the request that is handled. */
const clientAddresses = new AsyncLocalStorage<string | undefined>();

const tracer = trace.getTracer("mgmt-serve");

/**
 * Handles a request in a span that continues the trace of its client. Spans reach a collector only if the operator loads an OpenTelemetry
 * SDK with `node --import`.
 *
 * @param trustProxy whether the last address in `X-Forwarded-For` is the address of the client.
 */
export const handleInTrace = (
  request: IncomingMessage,
  response: ServerResponse,
  { trustProxy, handle }: { trustProxy: boolean; handle: () => void },
): void => {
  const { headers, method = "GET", socket } = request;
  const parentContext = propagation.extract(context.active(), headers);
  tracer.startActiveSpan(method, { kind: SpanKind.SERVER }, parentContext, (span) => {
    response.on("close", () => {
      span.setAttributes({
        "http.request.method": method,
        "http.response.status_code": response.statusCode,
      });
      span.end();
    });
    const forwardedFor = trustProxy ? headers["x-forwarded-for"] : undefined;
    const proxyAddress =
      typeof forwardedFor === "string" ? forwardedFor.split(",").at(-1)?.trim() : undefined;
    clientAddresses.run(proxyAddress ?? socket.remoteAddress, handle);
  });
};

/** Returns a function that writes each request of the API to the log and counts it. No entry has a query, a body or a secret. */
export const createRequestObserver =
  (logger: Logger, metrics: ServiceMetrics) =>
  ({
    requestId,
    method,
    path,
    operationId,
    principal,
    status,
    code,
    duration,
    traceId,
  }: LoggedRequest): void => {
    const operation = operationId ?? "none";
    metrics.countRequest(operation, status, duration / 1_000);
    const span = trace.getActiveSpan();
    span?.updateName(operationId ?? method);
    span?.setAttributes({ "mgmt.operation": operation, "mgmt.request_id": requestId });
    const clientAddress = clientAddresses.getStore();
    logger[status !== null && status >= 500 ? "error" : "info"](
      {
        ...{ requestId, method, path, operation, status },
        ...(code !== null && { code }),
        ...(principal !== null && { workspace: principal.workspaceId, principal: principal.kind }),
        ...(traceId !== null && { traceId }),
        ...(clientAddress !== undefined && { clientAddress }),
        durationMs: Math.round(duration * 10) / 10,
      },
      "request",
    );
  };
