import type { ApiPromise } from "./api-promise.js";
import type { Core } from "./core.js";
import type { Call, RequestOptions } from "./request/call.js";
import type { RequestFunction } from "./request/request.js";

/** What every client has, whatever its resources. */
export class BareClient {
  readonly #request: RequestFunction;

  constructor(core: Core, classes: Readonly<Record<string, ResourceClass>>) {
    this.#request = core.request;
    for (const [name, Class] of Object.entries(classes)) Reflect.set(this, name, new Class(core));
  }

  /**
   * Sends one call, of this contract or a newer one, and returns the body as it is, including the `data` envelope; undefined
   * for an empty body. Throws `ApiError` for a response whose status is not 2xx, `ConnectionError` (or its subclass
   * `TimeoutError`) when no complete response arrived, `TokenError` when there was no credential to send,
   * `InvalidArgumentError` for what a request cannot carry, and the reason of `options.signal` when that is aborted.
   */
  request<T = unknown>(call: Call, options?: RequestOptions): ApiPromise<T> {
    // The caller says what the body is.
    return this.#request(call, options, (body) => ({ value: body as T }));
  }
}

/** A class such as `ProjectsResource`. */
export type ResourceClass = new (core: Core) => object;
