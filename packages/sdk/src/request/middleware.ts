import type { TransportRequest, TransportResponse } from "../transport/transport.js";

/** One HTTP request of a call, on its way to the transport. */
export interface OutgoingRequest extends TransportRequest {
  /** Path as the contract writes it: `/v1/projects/{id}`. */
  path: string;
  /** Number of this request among those of its call, from 1. */
  attempt: number;
}

/**
 * Stands around every HTTP request that a call sends, its retries included. The first of a list is the outermost. It sees
 * the request as it leaves, credential included, and may change it by handing a changed copy to `next`; what `next` answers
 * is its own to read, change or replace. `next` may be called again, or not at all. What a middleware throws ends the call
 * as it is; what `next` throws is the SDK's `ConnectionError`, to be thrown on.
 *
 * ```ts
 * const timing: Middleware = async (request, next) => {
 *   const start = performance.now();
 *   const answer = await next(request);
 *   console.log(request.method, request.path, answer.status, performance.now() - start);
 *   return answer;
 * };
 * ```
 */
export type Middleware = (request: OutgoingRequest, next: Next) => Promise<TransportResponse>;

/** Sends the request on its way, and answers whatever status came. */
export type Next = (request: OutgoingRequest) => Promise<TransportResponse>;
