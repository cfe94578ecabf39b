import { type OperationId, operations } from "../generated/operations.js";
import { errors } from "./errors.js";
import type { Principal } from "./principal.js";
import type { RateLimitSettings } from "./settings.js";
import type { RateWindow } from "../store/rate-window.js";

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

/** A limit, and the operations that it applies to. */
export interface RateLimit extends RateLimitSettings {
  readonly limited: ReadonlySet<OperationId>;
}

/**
 * Returns a limit with the operations that it applies to.
 *
 * @throws TypeError when the limit is not valid.
 */
export const readRateLimit = (limit: RateLimitSettings): RateLimit => {
  assertLimit(limit);
  return { ...limit, limited: new Set(limitedOperations(limit)) };
};

/** Identifies the windows of a principal: a refreshed token does not start a new window. */
export const windowKey = ({ subject, clientId }: Principal): string => `${subject}\n${clientId ?? ""}`;

/**
 * Returns the `RateLimit-*` headers of a counted request.
 *
 * @param window the window that the request was counted in. Its count is above `requests` when it was full.
 * @throws RequestError 429 `rate_limit:exceeded` when the window was full.
 */
export const rateLimitHeaders = (
  { requests }: RateLimitSettings,
  { count, endsAt }: RateWindow,
  now: number,
): Record<string, string> => {
  const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
  const headers = {
    "ratelimit-limit": String(requests),
    "ratelimit-remaining": String(Math.max(0, requests - count)),
    "ratelimit-reset": String(seconds),
  };
  if (count > requests) throw errors.rateLimited(seconds, headers);
  return headers;
};

/** Counts requests in fixed windows in memory, one for each principal. */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();
  #limit: RateLimit | null = null;

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
    this.#limit = limit && readRateLimit(limit);
    this.#windows.clear();
    return [...(this.#limit?.limited ?? [])];
  }

  /**
   * Counts a request if its operation is limited, and returns the `RateLimit-*` headers of its response.
   *
   * @param now milliseconds since 1970.
   * @throws RequestError 429 `rate_limit:exceeded` when the window is full.
   */
  count(operation: OperationId, principal: Principal, now: number): Record<string, string> | undefined {
    const limit = this.#limit;
    if (limit === null || !limit.limited.has(operation)) return undefined;
    const window = this.#window(windowKey(principal), now, limit.window);
    window.count = Math.min(window.count + 1, limit.requests + 1);
    return rateLimitHeaders(limit, window, now);
  }

  #window(key: string, now: number, length: number): Window {
    const known = this.#windows.get(key);
    // A window that ends so late was started before the clock was moved back by more than a window.
    if (known && now < known.endsAt && known.endsAt <= now + 2 * length) return known;
    if (this.#windows.size >= maxWindows) this.#dropEnded(now);
    const window = { count: 0, endsAt: now + length };
    this.#windows.set(key, window);
    return window;
  }

  #dropEnded(now: number): void {
    for (const [key, { endsAt }] of this.#windows) if (now >= endsAt) this.#windows.delete(key);
  }
}
