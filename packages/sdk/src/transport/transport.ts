/** One HTTP request, ready to be sent. */
export interface TransportRequest {
  /** In capitals: `GET`. */
  method: string;
  /** Absolute, with its query. */
  url: string;
  /** Names in lower case. Holds the credential: never log it. */
  headers: Record<string, string>;
  /** JSON text; undefined sends none. */
  body: string | undefined;
  /** Aborted at the deadline and when the caller aborts. */
  signal: AbortSignal;
}

/** One HTTP answer, read to its end. */
export interface TransportResponse {
  /** HTTP status. */
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** As text; empty when there was none. */
  body: string;
}

/**
 * What carries requests. `send` answers whatever status came, follows no redirect, and throws when no whole answer
 * came; it gives up when `signal` is aborted. A transport keeps no state between requests but its connections.
 */
export interface Transport {
  /** Sends one request and reads its answer to the end. */
  send(request: TransportRequest): Promise<TransportResponse>;
}
