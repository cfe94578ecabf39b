import { errors } from "./errors.js";
import type { Principal } from "./principal.js";
import type { RateLimitSettings } from "./settings.js";

interface Window {
  count: number;
  endsAt: number;
}

const maxWindows = 10_000;

/**
 * Fixed windows, one for each principal by `sub` and `client_id`, so that a refreshed token goes on where the one before
 * it stood (§ Limits).
 */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();

  constructor(
    private readonly now: () => number,
    public limit: RateLimitSettings | null,
  ) {}

  /** Counts a request and gives the `RateLimit-*` headers of its answer. Throws 429 when the window is full. */
  count(principal: Principal): Record<string, string> {
    if (this.limit === null) return {};
    const { requests, window: length } = this.limit;
    const now = this.now();
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
