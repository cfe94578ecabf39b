import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BasicTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import type { SpanRecord, TraceRecord } from "./command-trace.js";
import { formatTraceparent } from "./trace-parent.js";
import type { TraceProtocol } from "./trace-settings.js";

/** Whether a trace has arrived. */
export type ExportOutcome = { readonly sentSpans: number } | { readonly reason: string };

/**
 * Sends a trace with the exporter of OpenTelemetry, which reads the endpoint, the headers, the certificates and the resource from the
 * environment of the process. Never throws.
 *
 * @param timeoutMs milliseconds for all attempts.
 */
export const exportTrace = async (
  record: TraceRecord,
  protocol: TraceProtocol,
  timeoutMs: number,
): Promise<ExportOutcome> => {
  try {
    const spans = createSpans(record);
    // OTEL_TRACES_SAMPLER may leave out the trace.
    if (spans.length === 0) return { sentSpans: 0 };
    const exporter = new exporterByProtocol[protocol]({ timeoutMillis: timeoutMs });
    const { code, error } = await new Promise<ExportResult>((resolve) => exporter.export(spans, resolve));
    return code === ExportResultCode.SUCCESS
      ? { sentSpans: spans.length }
      : { reason: describeFailure(error) };
  } catch (error) {
    return { reason: describeFailure(error) };
  }
};

/** The exporters of OpenTelemetry by the protocol that they speak. */
const exporterByProtocol = {
  "http/json": JsonExporter,
  "http/protobuf": ProtobufExporter,
} satisfies Record<TraceProtocol, unknown>;

/** Returns a status of HTTP, or a code of the system. Messages may contain the URL, and with it a password. */
const describeFailure = (error: unknown): string => {
  if (!(error instanceof Error) || !("code" in error)) return "no response";
  return typeof error.code === "number" ? `status ${String(error.code)}` : String(error.code);
};

/** Makes spans of OpenTelemetry with the ids that the command has sent to the service. */
const createSpans = ({ traceId, parent, command, requests, version }: TraceRecord): ReadableSpan[] => {
  const spans: ReadableSpan[] = [];
  let spanId = "";
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "mgmt", "service.version": version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [{ ...emptyProcessor, onEnd: (span) => spans.push(span) }],
    idGenerator: { generateTraceId: () => traceId, generateSpanId: () => spanId },
  });
  const tracer = provider.getTracer("mgmt", version);
  const addSpan = (record: SpanRecord, context: Context): Context => {
    ({ spanId } = record);
    const kind = record.kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const attributes = Object.fromEntries(
      Object.entries(record.attributes).map(([name, value]) => [
        name,
        typeof value === "object" ? [...value] : value,
      ]),
    );
    const span = tracer.startSpan(record.name, { kind, startTime: record.start, attributes }, context);
    if (record.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: record.error });
    span.end(record.start + record.durationMs);
    return trace.setSpan(context, span);
  };
  const commandContext = addSpan(command, createParentContext(parent));
  for (const request of requests) addSpan(request, commandContext);
  return spans;
};

const emptyProcessor = {
  onStart: () => undefined,
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

const createParentContext = (parent: TraceRecord["parent"]): Context => {
  if (parent === undefined) return ROOT_CONTEXT;
  const carrier = { traceparent: formatTraceparent(parent), tracestate: parent.state };
  return new W3CTraceContextPropagator().extract(ROOT_CONTEXT, carrier, {
    keys: (headers) => Object.keys(headers),
    get: (headers: Readonly<Record<string, string | undefined>>, name) => headers[name],
  });
};
