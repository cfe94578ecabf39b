import { type OperationId, operations } from "../generated/operations.js";
import { errors } from "./errors.js";
import type { Principal } from "./principal.js";
import type { RateLimitSettings } from "./settings.js";

interface Window {
  count: number;
  endsAt: number;
}

const maxWindows = 10_000;

/** Returns the operations that a limit applies to. */
const limitedOperations = ({ operations: named }: RateLimitSettings): OperationId[] =>
  named === undefined
    ? Object.values(operations)
        .filter(({ rateLimited }) => rateLimited)
        .map(({ id }) => id)
    : [...named];

/** Checks types too, because a limit can come from JSON. */
const assertLimit = ({ requests, window, operations: named }: RateLimitSettings): void => {
  if (!(Number.isInteger(requests) && requests >= 0 && window > 0)) {
    throw new TypeError("requests must be a whole number, and window must be greater than 0 ms");
  }
  const unknown = named?.find((id) => !Object.hasOwn(operations, id));
  if (unknown !== undefined) throw new TypeError(`The operation ${unknown} does not exist`);
};

/**
 * Counts requests in fixed windows, one for each pair of `sub` and `client_id`, so that refreshing a token does not
 * start a new window.
 */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();
  #limit: RateLimitSettings | null = null;
  #operations: ReadonlySet<OperationId> = new Set();

  /** @param limit null for no limit. */
  constructor(limit: RateLimitSettings | null) {
    this.start(limit);
  }

  /**
   * Replaces the limit, and restarts the count of every principal.
   *
   * @param limit null for no limit.
   * @returns the operations that it applies to.
   * @throws TypeError when the limit is not valid.
   */
  start(limit: RateLimitSettings | null): OperationId[] {
    if (limit) assertLimit(limit);
    const limited = limit ? limitedOperations(limit) : [];
    this.#limit = limit;
    this.#operations = new Set(limited);
    this.#windows.clear();
    return limited;
  }

  /**
   * Counts a request if its operation is limited, and returns the `RateLimit-*` headers of its response.
   *
   * @param now milliseconds since 1970.
   * @throws RequestError 429 `rate_limit:exceeded` when the window is full.
   */
  count(operation: OperationId, principal: Principal, now: number): Record<string, string> | undefined {
    if (this.#limit === null || !this.#operations.has(operation)) return undefined;
    const { requests, window: length } = this.#limit;
    const window = this.#window(`${principal.subject}\n${principal.clientId ?? ""}`, now, length);
    const full = window.count >= requests;
    if (!full) window.count += 1;
    const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
    const headers = {
      "ratelimit-limit": String(requests),
      "ratelimit-remaining": String(requests - window.count),
      "ratelimit-reset": String(seconds),
    };
    if (full) throw errors.rateLimited(seconds, headers);
    return headers;
  }

  #window(key: string, now: number, length: number): Window {
    const known = this.#windows.get(key);
    if (known && now < known.endsAt) return known;
    if (this.#windows.size >= maxWindows) this.#dropEnded(now);
    const window = { count: 0, endsAt: now + length };
    this.#windows.set(key, window);
    return window;
  }

  #dropEnded(now: number): void {
    for (const [key, { endsAt }] of this.#windows) if (now >= endsAt) this.#windows.delete(key);
  }
}
