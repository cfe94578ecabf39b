import type { OAuthEndpoint } from "../oauth/paths.js";
import type { RequestError } from "./request-error.js";
import type { OperationEntry } from "./operation.js";
import type { Principal } from "./principal.js";
import type { ValidRequest } from "./validate.js";
import type { ServerWorld } from "./world.js";

/** A request as plain data. */
export interface EngineRequest {
  readonly method: string;
  /** With the query: `/v1/projects?limit=10`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: Uint8Array | string | undefined;
  /** A face has stopped reading the body at `Engine.bodyCap`. */
  readonly bodyTooLarge?: boolean;
  /** The face listens to more than this machine: nobody signs in without a password there. */
  readonly offLoopback?: boolean;
}

/** A fault: the face is to cut the connection, before it sends anything of the answer or midway in its body. */
export type Dropped = "unanswered" | "midway";

export interface EngineResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly dropped?: Dropped;
}

/** One request on its way through the engine, and what has been found out about it. */
export interface Exchange {
  readonly world: ServerWorld;
  readonly request: EngineRequest;
  readonly requestId: string;
  /** The path without its query. */
  readonly path: string;
  readonly search: string;
  readonly at: number;
  readonly startedAt: number;
  operation: OperationEntry | undefined;
  /** In place of an operation: an endpoint of the authorization server, and those of its parameters that are no secret. */
  oauth: { readonly endpoint: OAuthEndpoint; noted: Readonly<Record<string, string>> } | undefined;
  principal: Principal | undefined;
  valid: ValidRequest | undefined;
  /** What the steps add to the answer's headers. */
  headers: Record<string, string> | undefined;
  /** The answer is a fault's own invention, which no contract binds. */
  foreign: boolean;
}

/** What the steps come to, before it is printed. */
export interface Outcome {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Error code. */
  readonly code: string | null;
  /** Sent in place of the JSON of `body`. */
  readonly raw?: { readonly text: string; readonly contentType: string };
  readonly dropped?: Dropped;
}

export const header = (request: EngineRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === "object" ? value[0] : value;
};

/** The outcome of a refusal. */
export const refusal = (error: RequestError): Outcome => {
  const { status, code, message, hint, extra, headers } = error;
  return {
    status,
    code,
    headers,
    body: { error: { code, message, ...(hint !== undefined && { hint }), ...extra } },
  };
};
