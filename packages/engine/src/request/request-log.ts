/** One request that the server has answered. Holds no secret: no header, no answer, no field that the contract calls one. */
export interface LoggedRequest {
  readonly requestId: string;
  /** When it came, in milliseconds of the server's clock. */
  readonly at: number;
  readonly method: string;
  /** Without the query; a segment that no path and no id looks like reads `…`. */
  readonly path: string;
  /** `oauth.token` and the like for the authorization server's endpoints. Null when nothing was meant. */
  readonly operationId: string | null;
  /** Who sent it; null when that was not found out. */
  readonly principal: { readonly kind: "user" | "service" | "agent"; readonly subject: string } | null;
  /** The operation's own query parameters, once they were found valid. */
  readonly query: Readonly<Record<string, unknown>> | null;
  /** The body, once it was found valid; secrets read `[redacted]`. */
  readonly body: unknown;
  /** Null when the connection was dropped. */
  readonly status: number | null;
  /** Error code of the answer. */
  readonly code: string | null;
  /** Real milliseconds from request to answer. */
  readonly duration: number;
}

/** The latest requests, oldest first. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  readonly #listeners = new Set<(entry: LoggedRequest) => void>();

  /** Keeps `capacity` requests, and at times up to twice as many. */
  constructor(private readonly capacity: number) {}

  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.capacity * 2)
      this.#entries.splice(0, this.#entries.length - this.capacity);
    for (const listener of this.#listeners) listener(entry);
  }

  list(): LoggedRequest[] {
    return this.#entries.slice(-this.capacity);
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** Calls the listener for each request from now on, until the function that it gives back is called. */
  follow(listener: (entry: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
