import type { Attempt } from "../errors/attempt.js";

/** The parts of an HTTP response other than its body. */
export interface ApiResponse {
  /** HTTP status. */
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The response's `x-request-id`. Quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** The requests sent for the call; the last one brought this response. */
  readonly attempts: readonly Attempt[];
}

/** The value of a call and its HTTP response. */
export interface WithResponse<T> {
  /** The value that the call itself resolves to. */
  readonly data: T;
  /** Status, headers, request ID and attempts. */
  readonly response: ApiResponse;
}

/** A promise of a call's value that also provides the HTTP response. */
export class ApiPromise<T> extends Promise<T> {
  readonly #response: () => ApiResponse;
  readonly #leaveUnread: () => () => Promise<Response>;

  /**
   * `response` is called once the promise is fulfilled. `leaveUnread` leaves the body unread from then on; the function that it
   * returns is called once the promise is fulfilled.
   */
  constructor(promise: Promise<T>, response: () => ApiResponse, leaveUnread: () => () => Promise<Response>) {
    super((resolve, reject) => void promise.then(resolve, reject));
    this.#response = response;
    this.#leaveUnread = leaveUnread;
  }

  /** `then` returns a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /**
   * Resolves to the value together with status, headers, request ID and attempts. Throws as the call itself.
   *
   * ```ts
   * const { data, response } = await client.projects.get(id).withResponse();
   * ```
   */
  withResponse(): Promise<WithResponse<T>> {
    return this.then((data) => ({ data, response: this.#response() }));
  }

  /**
   * Resolves to the `Response` as soon as its headers have arrived, with its body unread: for a body that is large or has no end. Throws as
   * the call itself, also for a status that is not 2xx. Reading the body has no deadline; aborting the call's `signal` ends it.
   *
   * Call it immediately, instead of awaiting the call, whose value is then the same response. Later, and with a transport that reads every
   * body, the response contains a copy of the body.
   *
   * ```ts
   * const response = await client.request({ method: "GET", path: "/v1/projects" }).asResponse();
   * for await (const chunk of response.body ?? []) console.log(chunk.length);
   * ```
   */
  asResponse(): Promise<Response> {
    return this.then(this.#leaveUnread());
  }
}
