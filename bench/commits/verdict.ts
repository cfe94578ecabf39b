import { median } from "../runner/rounds.js";

/** How much more a commit may cost: more than the same code costs in two runs. */
export const tolerance = 0.08;

export interface Costs {
  readonly base: readonly number[];
  readonly head: readonly number[];
}

/** How much more `head` costs than `base`: 0.1 is 10 % more. */
export interface Growth {
  readonly least: number;
  readonly median: number;
}

export const growthOf = ({ base, head }: Costs): Growth => ({
  least: Math.min(...head) / Math.min(...base) - 1,
  median: median(head) / median(base) - 1,
});

/**
 * Returns whether `head` seems to cost more. Other work on the machine raises the median, but hardly the least of several rounds; a
 * round that happened to be cheap lowers the least, but hardly the median. So both must have grown.
 */
export const seemsWorse = (costs: Costs): boolean => {
  const growth = growthOf(costs);
  return growth.least > tolerance && growth.median > tolerance;
};

/** Of all pairs of a round of `head` and a round of `base`, how many must have the higher cost at `head`. */
const requiredShare = 0.8;

/** Returns whether `head` costs more, although rounds of the same code differ, too: much so on a busy machine. */
export const isWorse = (costs: Costs): boolean => {
  const pairs = costs.head.flatMap((cost) => costs.base.map((other) => cost > other));
  const share = pairs.filter(Boolean).length / pairs.length;
  return seemsWorse(costs) && share >= requiredShare;
};
