import type { Notice } from "../output/messages.js";

/** Why no trace is sent although the environment asks for one. */
export type TraceProblem = Notice & { readonly hint: string };

/** Where the spans of a command are sent, or why they are not, or undefined if nothing asks for a trace. */
export type TraceSettings =
  | { readonly protocol: TraceProtocol; readonly origin: string }
  | { readonly problem: TraceProblem };

/** The protocols that the command can send traces with: names of `OTEL_EXPORTER_OTLP_PROTOCOL`. The first is the default. */
export const traceProtocols = ["http/protobuf", "http/json"] as const;
export type TraceProtocol = (typeof traceProtocols)[number];

/**
 * Reads the variables of OpenTelemetry. Unlike its SDKs, this command sends nothing unless an endpoint is named. Messages do not repeat
 * an endpoint, which may contain a password.
 *
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export const readTraceSettings = (env: NodeJS.ProcessEnv): TraceSettings | undefined => {
  const [endpointVariable, endpoint] = findVariable("ENDPOINT", env);
  if (endpoint === undefined || isSwitchedOff(env)) return undefined;
  const origin = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!origin || !/^https?:$/.test(origin.protocol)) {
    return createProblem(
      "trace:endpoint_invalid",
      `${endpointVariable} is not an http:// or https:// URL`,
      "Set it to the URL of a collector, such as http://localhost:4318.",
    );
  }
  const [protocolVariable, protocolName = traceProtocols[0]] = findVariable("PROTOCOL", env);
  const protocol = traceProtocols.find((name) => name === protocolName);
  if (!protocol) {
    return createProblem(
      "trace:protocol_unsupported",
      `${protocolVariable} names a protocol that mgmt cannot send traces with`,
      `Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to ${traceProtocols.join(" or ")}. Collectors receive both at port 4318.`,
    );
  }
  return { protocol, origin: origin.origin };
};

const createProblem = (code: string, problem: string, hint: string): TraceSettings => ({
  problem: { code, message: `${problem}. No trace is sent.`, hint },
});

/** Returns the name and the value of a variable for traces, or else of that for all signals. A blank value counts as none. */
const findVariable = (suffix: string, env: NodeJS.ProcessEnv): [name: string, value: string | undefined] => {
  const traceVariable = `OTEL_EXPORTER_OTLP_TRACES_${suffix}`;
  const traceValue = env[traceVariable]?.trim();
  if (traceValue) return [traceVariable, traceValue];
  const variable = `OTEL_EXPORTER_OTLP_${suffix}`;
  return [variable, env[variable]?.trim() || undefined];
};

/** Returns whether the SDK is disabled, or traces go to other exporters only, which other programs on the machine may have. */
const isSwitchedOff = ({
  OTEL_SDK_DISABLED: disabled,
  OTEL_TRACES_EXPORTER: exporters,
}: NodeJS.ProcessEnv): boolean =>
  disabled?.trim().toLowerCase() === "true" ||
  (Boolean(exporters?.trim()) && !exporters?.split(",").some((name) => name.trim() === "otlp"));

/** Longest time for sending a trace, in milliseconds, however long `OTEL_EXPORTER_OTLP_TIMEOUT` is. */
const longestTimeoutMs = 60_000;

/** Returns the number of milliseconds for sending a trace. Default: 10,000. */
export const readTraceTimeout = (env: NodeJS.ProcessEnv): number => {
  const [, value] = findVariable("TIMEOUT", env);
  const timeoutMs = Number(value);
  return timeoutMs > 0 ? Math.min(timeoutMs, longestTimeoutMs) : 10_000;
};
