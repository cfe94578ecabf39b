import type { ApiPromise } from "./api-promise.js";
import { type CursorPages, type ListCall, listPages } from "./paging.js";
import type { Call, ListOptions, RequestOptions } from "./request/call.js";
import type { RequestPath } from "./request/request.js";

/** What all resources have in common: how the envelope of an answer is opened. */
export abstract class Resource {
  readonly #request: RequestPath;

  constructor(request: RequestPath) {
    this.#request = request;
  }

  /** An answer that is the value itself. */
  protected bodyOf<T>(call: Call, options: RequestOptions | undefined): ApiPromise<T> {
    // The contract says which object this operation answers.
    return this.#request(call, options, (body) => (isObject(body) ? { value: body as T } : undefined));
  }

  /** An answer of the form `{ data }`. */
  protected dataOf<T>(call: Call, options: RequestOptions | undefined): ApiPromise<T> {
    // As above.
    return this.#request(call, options, (body) =>
      isObject(body) && (body["data"] ?? undefined) !== undefined ? { value: body["data"] as T } : undefined,
    );
  }

  /** An answer that says nothing but that it is done. */
  protected nothingOf(call: Call, options: RequestOptions | undefined): ApiPromise<void> {
    return this.#request(call, options, () => ({ value: undefined }));
  }

  /** An answer of the form `{ data: […], pagination }`, and those after it. */
  protected pagesOf<T>(call: ListCall, options: ListOptions | undefined): CursorPages<T> {
    return listPages(this.#request, call, options, true);
  }
}

const isObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === "object" && body !== null;
