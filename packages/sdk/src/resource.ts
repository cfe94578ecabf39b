import type { ApiPromise } from "./api-promise.js";
import type { Core } from "./core.js";
import type { EnsurableName } from "./ensure/ensure-named.js";
import type { EnsureOptions, EnsureResult } from "./ensure/ensure-result.js";
import { type CursorPages, type ListCall, listPages, readPage } from "./paging.js";
import type { Call, ListOptions, RequestOptions } from "./request/call.js";
import { isObject, readData } from "./request/decode.js";
import type { RequestFunction } from "./request/request.js";

/** Base class of all resources: sends their calls and opens the envelopes of the responses. */
export abstract class Resource {
  readonly #request: RequestFunction;
  /** Loads waiting and `ensure`, which most programs never use. */
  protected readonly load: Core["load"];

  constructor({ request, load }: Core) {
    this.#request = request;
    this.load = load;
  }

  /** For a response whose body is the value itself. */
  protected bodyOf<T>(call: Call, options: RequestOptions | undefined): ApiPromise<T> {
    // The contract says which object this operation returns.
    return this.#request(call, options, (body) => (isObject(body) ? { value: body as T } : undefined));
  }

  /** For a response of the form `{ data }`. */
  protected dataOf<T>(call: Call, options: RequestOptions | undefined): ApiPromise<T> {
    return this.#request<T>(call, options, readData);
  }

  /** For a response without a value. */
  protected nothingOf(call: Call, options: RequestOptions | undefined): ApiPromise<void> {
    return this.#request(call, options, () => ({ value: undefined }));
  }

  /** For a list of the form `{ data: […], pagination }`. */
  protected pagesOf<T>(call: ListCall, options: ListOptions | undefined): CursorPages<T> {
    return listPages(this.#request, call, options, readPage);
  }

  /** Creates the resource that the body and path parameters identify, or returns the existing one. */
  protected async ensureOf<Created, Found = Created, Issued = unknown>(
    name: EnsurableName,
    body: object,
    options: EnsureOptions<boolean> | undefined,
    pathParams?: Record<string, string>,
  ): Promise<EnsureResult<Created, Found, Issued>> {
    const { ensureNamed } = await this.load();
    return ensureNamed(name, body, pathParams, this.#request, options);
  }
}
