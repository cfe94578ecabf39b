import { errors } from "./errors.js";
import type { Principal } from "./principal.js";
import type { RateLimitSettings } from "./settings.js";

interface Window {
  count: number;
  endsAt: number;
}

const maxWindows = 10_000;

/**
 * Counts requests in fixed windows, one for each pair of `sub` and `client_id`, so that refreshing a token does not
 * start a new window.
 */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();

  /** @param limit null for no limit. */
  constructor(public limit: RateLimitSettings | null) {}

  /**
   * Counts a request and returns the `RateLimit-*` headers of its response.
   *
   * @param now milliseconds since 1970.
   * @throws RequestError 429 `rate_limit:exceeded` when the window is full.
   */
  count(principal: Principal, now: number): Record<string, string> {
    if (this.limit === null) return {};
    const { requests, window: length } = this.limit;
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

  reset(): void {
    this.#windows.clear();
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
