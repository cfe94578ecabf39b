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
}

/** An HTTP response whose body has been read completely. */
export interface TransportResponse {
  /** HTTP status code. */
  status: number;
  /** Headers with lowercase names. */
  headers: Record<string, string>;
  /** Response body as text; empty if there is none. */
  body: string;
}

/** Sends HTTP requests. A transport keeps no state between requests except its connections. */
export interface Transport {
  /**
   * Sends a request and reads the whole response. Resolves for every HTTP status and does not follow redirects. Rejects
   * if no complete response arrives or `signal` is aborted.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
}
