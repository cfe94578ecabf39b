import type { ApiPromise } from "./api-promise.js";
import type { Core } from "./core.js";
import { type CursorPages, type ListCall, listPages, readPage } from "./paging.js";
import type { Call, ListOptions, RequestOptions } from "./request/call.js";
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
    // As above.
    return this.#request(call, options, (body) =>
      isObject(body) && (body["data"] ?? undefined) !== undefined ? { value: body["data"] as T } : undefined,
    );
  }

  /** For a response without a value. */
  protected nothingOf(call: Call, options: RequestOptions | undefined): ApiPromise<void> {
    return this.#request(call, options, () => ({ value: undefined }));
  }

  /** For a list of the form `{ data: […], pagination }`. */
  protected pagesOf<T>(call: ListCall, options: ListOptions | undefined): CursorPages<T> {
    return listPages(this.#request, call, options, readPage);
  }
}

const isObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === "object" && body !== null;
