/** What a program writes to its parent: an answer, or why there is none. */
export interface Reply {
  readonly value?: unknown;
  readonly error?: string;
}

/** Answers the parent's calls, one at a time, until the parent goes. */
export const answerCalls = <Calls extends object>(calls: Calls): void => {
  const reply = (message: Reply): void => {
    process.send?.(message);
  };
  // `Remote<Calls>` in the parent lets only these names and inputs through.
  process.on("message", ({ call, input }: { call: keyof Calls; input: unknown[] }) => {
    const answer = calls[call] as (...input: unknown[]) => unknown;
    Promise.resolve()
      .then(() => answer(...input))
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

/** An answer, to be given again byte by byte. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Place {
  readonly baseUrl: string;
  /** A good access token, where the server asks for one. */
  readonly token: string;
}

export interface ReferenceServer {
  start(): Promise<Place>;
  processorTime(): number;
}

export interface StaticServer {
  start(answer: RecordedAnswer): Promise<Place>;
  processorTime(): number;
}

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** Every answer must have this body. */
  readonly body: string;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly good: number;
  /** Answers with another status or body, and requests without an answer. */
  readonly bad: number;
}

export interface LoadGenerator {
  fire(load: Load): Promise<LoadResult>;
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
  /** The reference server makes its own answers; the static one is given its only one. */
  start(answer?: RecordedAnswer): Place | Promise<Place>;
  /** One answer, as `fetch` sees it. */
  send(request: ClientRequest): Promise<RecordedAnswer>;
  /**
   * Microseconds for one request with `fetch` and `json()`, from `requests` of them, one after the other. Throws when an
   * answer is not a list of `count` items.
   */
  time(request: ClientRequest, requests: number, count: number): Promise<number>;
  processorTime(): number;
}

export interface Lists {
  readonly pages: number;
  readonly itemsPerPage: number;
  /** Milliseconds before each answer. */
  readonly latencyMs: number;
}

export interface ListServer {
  start(lists: Lists): Promise<Place>;
  /** Requests that it has answered. */
  served(): number;
  processorTime(): number;
}

/** What one call cost, as the mean of a batch. */
export interface Spent {
  readonly microseconds: number;
  /** Of the caller's own process. */
  readonly processorMicroseconds: number;
}

/** A client and raw `fetch` in one process. */
export interface Caller {
  /** Makes both; `contender` is a file that exports a `lister`, for lists of `count` items. */
  start(contender: string, place: Place, count: number): Promise<void>;
  /** Batches of calls, one after the other, the two in turns. Throws when an answer is not the list. */
  time(batches: number, callsPerBatch: number): Promise<Record<"subject" | "baseline", Spent[]>>;
}

/** Walks through all pages with a consumer who takes his time for each. */
export interface Walker {
  start(place: Place): void;
  /** Milliseconds for a walk. Throws when an item is missing, comes twice or comes in another order. */
  time(walk: "prefetch" | "sequential", expected: Lists, workMs: number): Promise<number>;
}
