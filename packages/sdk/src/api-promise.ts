import type { Attempt } from "./request/attempt.js";

/** What an answer says beside its body. */
export interface ApiResponse {
  /** HTTP status. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer's `x-request-id`: name it when you report a fault. */
  readonly requestId: string | undefined;
  /** Requests that were sent for the call; the last one brought the answer. */
  readonly attempts: readonly Attempt[];
}

/** The value of a call together with the answer that it came in. */
export interface WithResponse<T> {
  /** What the call alone answers. */
  readonly data: T;
  /** Status, headers, request id and attempts. */
  readonly response: ApiResponse;
}

/** What methods answer: a promise of the value, with a way to the answer that it comes in. */
export class ApiPromise<T> extends Promise<T> {
  readonly #response: () => ApiResponse;

  /** `response` is asked once the promise is fulfilled. */
  constructor(promise: Promise<T>, response: () => ApiResponse) {
    super((resolve, reject) => void promise.then(resolve, reject));
    this.#response = response;
  }

  /** What `then` makes is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /**
   * The value together with status, headers, request id and attempts. Throws as the call itself.
   *
   * ```ts
   * const { data, response } = await client.projects.get(id).withResponse();
   * ```
   */
  withResponse(): Promise<WithResponse<T>> {
    return this.then((data) => ({ data, response: this.#response() }));
  }
}
