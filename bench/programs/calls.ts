/** A message from a program to its parent: a return value or an error. */
export interface Reply {
  readonly value?: unknown;
  readonly error?: string;
}

/** Serves the parent's calls until the parent disconnects. */
export const serveCalls = <Calls extends object>(calls: Calls): void => {
  const reply = (message: Reply): void => {
    process.send?.(message);
  };
  // `Remote<Calls>` in the parent allows only these names and inputs.
  process.on("message", ({ call, input }: { call: keyof Calls; input: unknown[] }) => {
    const method = calls[call] as (...input: unknown[]) => unknown;
    Promise.resolve()
      .then(() => method(...input))
      .then(
        (value) => {
          reply({ value });
        },
        (error: unknown) => {
          reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
        },
      );
  });
  process.on("disconnect", () => process.exit());
  reply({});
};

/** A response that can be replayed byte for byte. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Target {
  readonly baseUrl: string;
  /** A valid access token, if the server requires one. */
  readonly token: string;
}

export interface ReferenceServer {
  start(): Promise<Target>;
  processorTime(): number;
}

export interface StaticServer {
  start(response: RecordedResponse): Promise<Target>;
  processorTime(): number;
}

export interface StaticTlsServer {
  start(
    response: RecordedResponse,
    identity: { readonly key: string; readonly cert: string },
  ): Promise<Target>;
  processorTime(): number;
}

export interface ClientRequest {
  readonly url: string;
  readonly token?: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

export interface InProcessServer {
  /** The static server replays `response`; the reference server ignores it. */
  start(response?: RecordedResponse): Target | Promise<Target>;
  /** Sends one request with `fetch`. */
  send(request: ClientRequest): Promise<RecordedResponse>;
  /**
   * Returns the mean microseconds per request with `fetch` and `json()`, over sequential `requests`. Throws if a response is
   * not a list of `count` items.
   */
  time(request: ClientRequest, requests: number, count: number): Promise<number>;
  processorTime(): number;
}

/** Runs a test of a sign-up, with a mock of its own each time. */
export interface SignUps {
  /** Returns the milliseconds of one. Throws if its requests or its result are not as expected. */
  time(): Promise<number>;
  processorTime(): number;
}

export interface Lists {
  readonly pages: number;
  readonly itemsPerPage: number;
  /** Milliseconds before each response. */
  readonly latencyMs: number;
}

export interface ListServer {
  start(lists: Lists): Promise<Target>;
  /** Returns the number of requests served. */
  served(): number;
  processorTime(): number;
}

/** The cost of one call, as the mean of a batch. */
export interface Spent {
  readonly microseconds: number;
  /** Processor time of the caller's own process. */
  readonly processorMicroseconds: number;
}

/** Calls one client. */
export interface Caller {
  /** Creates it; `contender` is a file that exports a `lister`, for lists of `count` items. */
  start(contender: string, target: Target, count: number): Promise<void>;
  /** Calls sequentially. Throws if a response is not the list. */
  time(calls: number): Promise<Spent>;
}

/** The reference server in one process with the caller, without HTTP. */
export interface EngineLists {
  /** Creates that many databases. */
  start(databases: number): Promise<void>;
  /** Lists all databases sequentially. Throws if a response is not the list. */
  time(requests: number): Promise<Spent>;
}

/** Iterates over all pages with a consumer that works on each. */
export interface Walker {
  start(target: Target): void;
  /** Returns the milliseconds for all pages. Throws if an item is missing, repeated, or out of order. */
  time(walk: "prefetch" | "sequential", expected: Lists, workMs: number): Promise<number>;
}
