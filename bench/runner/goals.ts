/** What a finding should reach. */
export interface Goal {
  /**
   * The median ratio of the subject to its baseline, the median share that the baseline is of the subject, or the median of the
   * subject in its unit.
   */
  readonly of: "ratio" | "share" | "median";
  readonly relation: "≥" | "≤" | "<";
  readonly limit: number;
}

export const ratio = (limit: number): Goal => ({ of: "ratio", relation: "≤", limit });
export const share = (limit: number): Goal => ({ of: "share", relation: "≥", limit });
export const atMost = (limit: number): Goal => ({ of: "median", relation: "≤", limit });
export const below = (limit: number): Goal => ({ of: "median", relation: "<", limit });
