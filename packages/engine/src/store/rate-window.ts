import type { Row } from "./rows.js";

/** How many requests a principal has sent in a period of time. */
export interface RateWindow {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

export type RateWindowRow = Row & RateWindow;
