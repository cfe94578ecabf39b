import type { Endpoint } from "../context/endpoint.js";
import type { Fault } from "../context/fault.js";
import type { EngineRequest } from "../values/message.js";
import type { OperationEntry } from "../generated/operations.js";
import type { Principal } from "../values/principal.js";
import type { RequestContext } from "../context/request-context.js";
import type { ValidRequest } from "./validate.js";

/** A request in the pipeline, with the results of the steps so far. */
export interface Exchange {
  readonly context: RequestContext;
  readonly request: EngineRequest;
  readonly requestId: string;
  /** The path without its query. */
  readonly path: string;
  /** The query without its `?`. */
  readonly search: string;
  readonly arrivedAt: number;
  readonly startedAt: number;
  operation: OperationEntry | undefined;
  /** Set instead of `operation` for a path outside the API. */
  endpoint: Endpoint | undefined;
  principal: Principal | undefined;
  validRequest: ValidRequest | undefined;
  /** How the request was counted for the rate limit. Steps that run again do not count it again. */
  rateLimitResult: RateLimitResult | undefined;
  /** The fault that applies to the request, once known. A request that runs again does not count for the faults again. */
  faultResult: FaultResult | undefined;
  /** Response headers that the steps add. */
  headers: Record<string, string> | undefined;
  /** Whether a fault replaced the response with one that is not in the contract. */
  isOutsideContract: boolean;
}

/** The headers of a request that was counted, or the error of one that exceeds the limit. */
export type RateLimitResult =
  | { readonly headers: Record<string, string> | undefined }
  | { readonly error: unknown };

/** The fault that applies to a request, if any. */
export interface FaultResult {
  readonly fault: Fault | undefined;
}
