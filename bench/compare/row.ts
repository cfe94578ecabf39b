import type { Sdk } from "./sdk.js";

/** What one SDK does, as the page shows it. */
export interface Cell {
  readonly text: string;
  /** Lower is better. */
  readonly rank: number;
}

/** One row of the comparison. */
export interface Row {
  readonly title: string;
  measure(sdk: Sdk): Promise<Cell> | Cell;
  /** Whether a second measurement may give another value: the row is compared with none. */
  readonly varies?: true;
  /** What a reader should know if another SDK is better. */
  readonly reason?: string;
}

export interface Section {
  readonly title: string;
  readonly about: string;
  readonly rows: readonly Row[];
}

/** Returns a number with its unit and its decimals. The lower one is better. */
export const amount = (value: number, unit: string, decimals = 0): Cell => ({
  text: `${value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })} ${unit}`.trim(),
  rank: Number(value.toFixed(decimals)),
});

/** Returns a behavior; `rank` is 0 for the best one. */
export const behavior = (text: string, rank: number): Cell => ({ text, rank });
