import type { TransportRequest, TransportResponse } from "./transport.js";

/** One HTTP request of a call, before it reaches the transport. */
export interface OutgoingRequest extends TransportRequest {
  /** Path template as in the contract: `/v1/projects/{id}`. */
  path: string;
  /** Number of this request within its call, from 1. */
  attempt: number;
}

/**
 * Wraps every HTTP request that a call sends, including retries. The first of a list is the outermost. It receives the request as it will
 * be sent, including the credential. Pass a changed copy to `next` to change the request; read, change or replace the response that `next`
 * returns. `next` may be called more than once, or not at all. An error that a middleware throws ends the call unchanged; `next` throws the
 * SDK's `ConnectionError`, which should be rethrown.
 *
 * ```ts
 * const timing: Middleware = async (request, next) => {
 *   const start = performance.now();
 *   const response = await next(request);
 *   console.log(request.method, request.path, response.status, performance.now() - start);
 *   return response;
 * };
 * ```
 */
export type Middleware = (request: OutgoingRequest, next: Next) => Promise<TransportResponse>;

/** Sends the request and returns the response, whatever its status. */
export type Next = (request: OutgoingRequest) => Promise<TransportResponse>;
