import type { ApiPromise } from "./api-promise.js";
import { type CursorPages, type ListCall, listPages } from "./paging.js";
import type { Call, ListOptions, RequestOptions } from "./request/call.js";
import { type RequestPath, requestPath } from "./request/request.js";
import type { Settings } from "./request/settings.js";

/** What every client has, whichever its resources are. */
export class BareClient {
  readonly #request: RequestPath;

  constructor(settings: Settings, classes: Readonly<Record<string, ResourceClass>>) {
    this.#request = requestPath(settings);
    for (const [name, Each] of Object.entries(classes)) Reflect.set(this, name, new Each(this.#request));
  }

  /**
   * Sends one call, of this contract or newer than it, and answers the body as it came: the `data` envelope is kept, and
   * an empty body is undefined. Throws `ApiError` for an answer of another status than 2xx, `ConnectionError` (or its
   * `TimeoutError`) when no whole answer came, `TokenError` when there was no credential to send, `InvalidArgumentError`
   * for what no request can carry, and the reason of `options.signal` when that was aborted.
   */
  request<T = unknown>(call: Call, options?: RequestOptions): ApiPromise<T> {
    // The caller says what the body is.
    return this.#request(call, options, (body) => ({ value: body as T }));
  }

  /**
   * Lists by path: for lists of this contract or a newer one. Returns the same promise and iterable as the list methods.
   * `call.query.cursor` is the page to start at.
   *
   * A list without cursors (`pagination` has no `nextCursor`, or is absent) is a single page; its `hasMore` then says
   * whether a larger `limit` would return more.
   *
   * ```ts
   * const page = await client.requestPages({ method: "GET", path: "/v1/projects", query: { limit: 10 } });
   * ```
   *
   * Throws as `request`; `PagingError` when the service repeats a cursor or reports more items without one; and
   * `InvalidResponseError` for a body that is not a list.
   */
  requestPages<T = unknown>(call: ListCall, options?: ListOptions): CursorPages<T> {
    return listPages(this.#request, call, options, false);
  }
}

/** A class such as `ProjectsResource`. */
export type ResourceClass = new (request: RequestPath) => object;
