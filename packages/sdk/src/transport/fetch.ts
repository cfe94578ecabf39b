/** The options that the SDK passes to `fetch`. */
export interface FetchInit {
  method: string;
  /** Headers with lowercase names. They contain the credential: never log them. */
  headers: Record<string, string>;
  /** JSON text, or null for no body. */
  body: string | null;
  /** Aborted at the deadline and when the caller aborts. */
  signal: AbortSignal;
  redirect: "manual";
}

/** The part of a response that the SDK uses. The responses of node-fetch and undici have it too. */
export interface FetchResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly type?: string;
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
  /** A web stream or a Node.js stream. */
  readonly body: object | null;
  text(): Promise<string>;
}

/** The part of `fetch` that the SDK uses: the global `fetch`, or the `fetch` of undici or node-fetch. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;
