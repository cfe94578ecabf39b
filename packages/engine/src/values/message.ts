import type { RequestError } from "./request-error.js";

/** A request as plain data. */
export interface EngineRequest {
  readonly method: string;
  /** Includes the query: `/v1/projects?limit=10`. */
  readonly path: string;
  /** Names are lowercase. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: Uint8Array | string | undefined;
  /** Whether the caller stopped reading the body at `Engine.bodyPolicy`. */
  readonly bodyTooLarge?: boolean;
  /** Whether the server is reachable from other machines, which turns off sign-in without a password. */
  readonly offLoopback?: boolean;
  /** Aborted when the server does not wait any longer for a request that a fault delays. */
  readonly cut?: AbortSignal | undefined;
  /** Waits for the latency of a fault. Default: in real time. */
  readonly pause?: ((milliseconds: number) => Promise<void>) | undefined;
}

/** How a fault cuts the connection: before anything is sent, or in the middle of the response body. */
export type DropMoment = "unsent" | "midway";

/** A response as plain data. */
export interface EngineResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly dropped?: DropMoment;
}

/** The result of the pipeline, before it is serialized. */
export interface PipelineOutcome {
  readonly status: number;
  readonly body?: unknown;
  /** The JSON of the body, instead of `body`. */
  readonly json?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Error code; null for a success. */
  readonly code: string | null;
  /** Sent instead of the JSON of `body`. */
  readonly rawBody?: { readonly text: string; readonly contentType: string } | undefined;
  /** Parameters for the request log that are known not to be secret. */
  readonly logged?: Readonly<Record<string, string>>;
  readonly dropped?: DropMoment;
}

/** Returns the first value of a header. `name` is lowercase. */
export const getHeader = (request: EngineRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === "object" ? value[0] : value;
};

/** Returns whether the body is encoded, as with gzip. Bodies are not decoded. */
export const hasContentEncoding = (headers: EngineRequest["headers"]): boolean =>
  !["", "identity"].includes(
    String(headers["content-encoding"] ?? "")
      .trim()
      .toLowerCase(),
  );

/** Returns the outcome for a request that was rejected. */
export const toErrorOutcome = (error: RequestError): PipelineOutcome => {
  const { status, code, message, hint, extra, headers } = error;
  return {
    status,
    code,
    headers,
    body: { error: { code, message, ...(hint !== undefined && { hint }), ...extra } },
  };
};

/** Returns the first half of a body, which is sent before an injected fault drops the connection. */
export const encodeFirstHalf = (body: string): Uint8Array => {
  const bytes = new TextEncoder().encode(body);
  return bytes.subarray(0, Math.floor(bytes.length / 2));
};
