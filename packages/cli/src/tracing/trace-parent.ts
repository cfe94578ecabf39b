/** The span that a trace continues from. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits. The last bit indicates whether the trace is recorded. */
  readonly flags: string;
  /** The `tracestate` of other tracing systems, unchanged. */
  readonly state: string | undefined;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const traceparentPattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Matches a valid header. https://www.w3.org/TR/trace-context/#tracestate-header asks for at least 512 characters. */
const tracestatePattern = /^[\x20-\x7e]{1,512}$/;

/**
 * Returns the span that `TRACEPARENT` and `TRACESTATE` name, as CI systems and other tools set them. Returns undefined unless
 * `TRACEPARENT` is valid, in which case a new trace starts.
 *
 * https://opentelemetry.io/docs/specs/otel/context/env-carriers/
 */
export const readTraceParent = ({ TRACEPARENT, TRACESTATE }: NodeJS.ProcessEnv): TraceParent | undefined => {
  const [, version, traceId = "", spanId = "", flags = "", rest] =
    traceparentPattern.exec(TRACEPARENT?.trim() ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const state = TRACESTATE?.trim();
  return { traceId, spanId, flags, state: state && tracestatePattern.test(state) ? state : undefined };
};

/** Returns whether the spans of a trace are recorded. */
export const isSampled = ({ flags }: Pick<TraceParent, "flags">): boolean => parseInt(flags, 16) % 2 === 1;

/** Returns the value of the header or the variable for a span. */
export const formatTraceparent = ({
  traceId,
  spanId,
  flags,
}: Pick<TraceParent, "traceId" | "spanId" | "flags">): string => `00-${traceId}-${spanId}-${flags}`;
