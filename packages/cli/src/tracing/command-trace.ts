import { randomBytes } from "node:crypto";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { TransportRequest, TransportResponse } from "@mgmt/sdk";
import type { Transport } from "../sdk/sdk.js";
import { type TraceParent, formatTraceparent, isSampled } from "./trace-parent.js";

type Attributes = Record<string, string | number | readonly string[]>;

/** A completed span. */
export interface SpanRecord {
  readonly spanId: string;
  readonly name: string;
  readonly kind: "internal" | "client";
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly durationMs: number;
  /** Named as in https://opentelemetry.io/docs/specs/semconv/. */
  readonly attributes: Attributes;
  /** Why it failed, in one word. Absent if it did not. */
  readonly error?: string;
}

/** Everything that the program which sends a trace needs. */
export interface TraceRecord {
  readonly traceId: string;
  readonly parent: TraceParent | undefined;
  readonly command: SpanRecord;
  /** Children of the command. */
  readonly requests: readonly SpanRecord[];
  /** Version of `mgmt`. */
  readonly version: string;
}

/** The exit code of a command and what the trace records about it. */
export interface CommandResult {
  /** Path of the command, starting with `mgmt`, and the names of the flags without their values. */
  readonly commandPath: readonly string[];
  readonly flags: readonly string[];
  readonly exitCode: number;
  /** Absent if the command did not fail with an error of its own. */
  readonly errorCode?: string | undefined;
}

/** Requests that one command records, so that neither a long list nor a service that runs for days fills the memory. */
const maxRequests = 500;

/** Records one command and its requests, and makes the service continue the trace. */
export class CommandTrace {
  readonly #traceId: string;
  readonly #spanId = createId(8);
  readonly #flags: string;
  readonly #start: number;
  readonly #requests: SpanRecord[] = [];

  /** @param parent the span that the trace continues from, or undefined for a new trace. */
  constructor(
    private readonly version: string,
    private readonly parent: TraceParent | undefined,
  ) {
    this.#traceId = parent?.traceId ?? createId(16);
    this.#flags = parent?.flags ?? "01";
    // The start of the process, because loading Node.js is a part of the command.
    this.#start = Date.now() - process.uptime() * 1_000;
  }

  /** The value of `TRACEPARENT` for programs that this command runs. */
  get traceparent(): string {
    return this.#formatTraceparent(this.#spanId);
  }

  /** Whether spans are sent. The parent may have decided that this trace is not recorded. */
  get isSampled(): boolean {
    return isSampled({ flags: this.#flags });
  }

  /** Wraps a transport: each request becomes a span, and has the headers that continue the trace. */
  traceTransport(transport: Transport): Transport {
    return {
      send: async (request) => {
        const spanId = createId(8);
        const state = this.parent?.state;
        const headers = {
          ...request.headers,
          traceparent: this.#formatTraceparent(spanId),
          ...(state !== undefined && { tracestate: state }),
        };
        const start = Date.now();
        const startedAt = performance.now();
        const record = async (requestResult: RequestResult): Promise<void> => {
          if (!this.isSampled || this.#requests.length >= maxRequests) return;
          const durationMs = performance.now() - startedAt;
          this.#requests.push({
            ...{ spanId, kind: "client", start, durationMs },
            ...(await describeRequestSpan(request, requestResult)),
          });
        };
        try {
          const response = await transport.send({ ...request, headers });
          await record({ response });
          return response;
        } catch (error) {
          await record({ error });
          throw error;
        }
      },
    };
  }

  /** Returns the trace of a command that has finished. */
  finish({ commandPath, flags, exitCode, errorCode }: CommandResult): TraceRecord {
    const error = errorCode ?? String(exitCode);
    return {
      traceId: this.#traceId,
      parent: this.parent,
      requests: this.#requests,
      version: this.version,
      command: {
        spanId: this.#spanId,
        name: commandPath.join(" "),
        kind: "internal",
        start: this.#start,
        durationMs: Date.now() - this.#start,
        attributes: {
          "process.executable.name": "mgmt",
          "process.pid": process.pid,
          "process.command_args": [...commandPath, ...flags],
          "process.exit.code": exitCode,
          ...(exitCode !== 0 && { "error.type": error }),
        },
        ...(exitCode !== 0 && { error }),
      },
    };
  }

  #formatTraceparent(spanId: string): string {
    return formatTraceparent({ traceId: this.#traceId, spanId, flags: this.#flags });
  }
}

type RequestResult = { readonly response: TransportResponse } | { readonly error: unknown };

const createId = (bytes: number): string => randomBytes(bytes).toString("hex");

/** Describes a request without its query, headers and body, which may contain secrets. */
const describeRequestSpan = async (
  request: TransportRequest,
  requestResult: RequestResult,
): Promise<Pick<SpanRecord, "name" | "attributes" | "error">> => {
  const { redactUrl } = await import("@mgmt/internal/redaction/redact");
  const { origin, pathname, protocol, hostname, port } = new URL(request.url);
  const { method } = request;
  // Requests of other code than the SDK have no path template and no number of the attempt.
  const template = "path" in request && typeof request.path === "string" ? request.path : undefined;
  const attempt = "attempt" in request && typeof request.attempt === "number" ? request.attempt : 1;
  const error = findError(requestResult);
  const requestId = "response" in requestResult ? requestResult.response.headers["x-request-id"] : undefined;
  return {
    name: template === undefined ? method : `${method} ${template}`,
    attributes: {
      "http.request.method": method,
      "url.full": redactUrl(`${origin}${pathname}`),
      ...(template !== undefined && { "url.template": template }),
      "server.address": hostname,
      "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
      ...(attempt > 1 && { "http.request.resend_count": attempt - 1 }),
      ...("response" in requestResult && { "http.response.status_code": requestResult.response.status }),
      ...(requestId !== undefined && { "mgmt.request_id": requestId }),
      ...(error !== undefined && { "error.type": error }),
    },
    ...(error !== undefined && { error }),
  };
};

const findError = (requestResult: RequestResult): string | undefined => {
  if ("response" in requestResult)
    return requestResult.response.status >= 400 ? String(requestResult.response.status) : undefined;
  return (
    readErrorCode(requestResult.error) ??
    (requestResult.error instanceof Error ? requestResult.error.name : "_OTHER")
  );
};
