import type { Preload } from "./preload.js";
import type { Row } from "./rows.js";

/** How many requests a principal has sent in a period of time. */
export interface RateWindow {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** The number of requests of a principal in the current window. */
export type RateWindowRow = Row & RateWindow;

/** Counts a request in a window. */
export type CountPreload = Extract<Preload, { read: "hit" }>;

const maxWindows = 10_000;

/** The windows of a server in memory. */
export class RateWindows {
  readonly #windows = new Map<string, RateWindow>();

  /** Counts a request, and returns its window. Starts a new window if there is none or it is over. */
  countRequest({ id, now, length, maxCount }: CountPreload): RateWindow {
    const currentWindow = this.#windows.get(id);
    // A window that ends so late was started before the clock was moved back by more than a window.
    const isOpen =
      currentWindow !== undefined && now < currentWindow.endsAt && currentWindow.endsAt <= now + 2 * length;
    if (!isOpen && this.#windows.size >= maxWindows) this.#deletePastWindows(now);
    const { count, endsAt } = isOpen ? currentWindow : { count: 0, endsAt: now + length };
    const window = { count: Math.min(count + 1, maxCount), endsAt };
    this.#windows.set(id, window);
    return window;
  }

  #deletePastWindows(now: number): void {
    for (const [key, { endsAt }] of this.#windows) if (now >= endsAt) this.#windows.delete(key);
  }
}
