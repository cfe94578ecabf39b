/** One HTTP request of a call. */
export interface Attempt {
  /** Milliseconds of pause before it. */
  pauseMs: number;
  /** Milliseconds it took; absent when the call ended first. */
  durationMs?: number;
  /** HTTP status of the response; absent when there was none. */
  status?: number;
  /** Why there was no response: `ECONNRESET`. */
  reason?: string;
}

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
  /** What the call alone resolves to. */
  readonly data: T;
  /** Status, headers, request ID and attempts. */
  readonly response: ApiResponse;
}

/** A promise of a call's value that also provides the HTTP response. */
export class ApiPromise<T> extends Promise<T> {
  readonly #response: () => ApiResponse;

  /** `response` is called once the promise is fulfilled. */
  constructor(promise: Promise<T>, response: () => ApiResponse) {
    super((resolve, reject) => void promise.then(resolve, reject));
    this.#response = response;
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
}
