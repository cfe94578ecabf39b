/** An HTTP request that is ready to send. */
export interface TransportRequest {
  /** HTTP method in uppercase, such as `GET`. */
  method: string;
  /** Absolute URL, including the query. */
  url: string;
  /** Headers with lowercase names. They contain the credential: never log them. */
  headers: Record<string, string>;
  /** JSON text, or `undefined` for no body. */
  body: string | undefined;
  /** Aborted at the deadline and when the caller aborts. */
  signal: AbortSignal;
  /** How to read the response. All attempts of a call share it. */
  reading?: Reading | undefined;
}

/** How to read a response. `asResponse()` of the call changes it. */
export interface Reading {
  /** Whether to return a successful response as `unread`. A transport that cannot reads its body. */
  unread?: boolean;
}

/** An HTTP response whose body has been read completely, unless it has `unread`. */
export interface TransportResponse {
  /** HTTP status code. */
  status: number;
  /** Headers with lowercase names. */
  headers: Record<string, string>;
  /** Response body as text; empty if there is none. */
  body: string;
  /** The response with its body unread, for a call with `asResponse()`; `body` is empty then. Middleware passes it on. */
  unread?: Response | undefined;
}

/** Sends HTTP requests. A transport keeps no state between requests except its connections. */
export interface Transport {
  /**
   * Sends a request and reads the whole response. Resolves for every HTTP status and does not follow redirects. Rejects
   * if no complete response arrives or `signal` is aborted.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
}
