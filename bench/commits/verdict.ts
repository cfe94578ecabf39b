import type { Finding } from "../runner/measurement.js";
import { median } from "../runner/report.js";

/** How much more a commit may cost: more than the same code costs in two runs. */
export const tolerance = 0.08;

type Costs = readonly number[];

const grew = (base: number, head: number): boolean => head / base - 1 > tolerance;

/**
 * Returns whether `head` seems to cost more. Other work on the machine raises the median, but hardly the least of several rounds; a
 * round that happened to be cheap lowers the least, but hardly the median. So both must have grown.
 */
export const seemsWorse = (base: Costs, head: Costs): boolean =>
  grew(Math.min(...base), Math.min(...head)) && grew(median(base), median(head));

/** Of all pairs of a round of `head` and a round of `base`, how many must have the higher cost at `head`. */
const requiredShare = 0.8;

/** Returns whether `head` costs more, although rounds of the same code differ, too: much so on a busy machine. */
export const isWorse = (base: Costs, head: Costs): boolean => {
  const pairs = head.flatMap((cost) => base.map((other) => cost > other));
  return seemsWorse(base, head) && pairs.filter(Boolean).length / pairs.length >= requiredShare;
};

/** Applies a verdict to a comparison, whose subject is the newer commit. */
export const judge = (verdict: typeof isWorse, { subject, baseline }: Finding): boolean =>
  verdict(baseline?.rounds ?? [], subject.rounds);
