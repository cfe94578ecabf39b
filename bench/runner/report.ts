import type { Goal } from "./goals.js";
import type { Finding, Series } from "./measurement.js";

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
};

/** Returns one series divided by another, round by round. */
const ratios = (one: Series, other: Series): number[] =>
  one.rounds.map((value, round) => value / (other.rounds[round] ?? Number.NaN));

/** Returns whether a finding meets its goal; a finding without a goal always does. */
export const isMet = (finding: Finding): boolean => {
  const { goal } = finding;
  if (!goal) return true;
  const value = valueOf(goal, finding);
  if (goal.relation === "≥") return value >= goal.limit;
  return goal.relation === "≤" ? value <= goal.limit : value < goal.limit;
};

/** Formats a finding as lines of text: medians, every round, the ratio, and the goal. */
export const describe = (finding: Finding): string => {
  const { title, subject, baseline, others = [], goal } = finding;
  const lines = [subject, ...(baseline ? [baseline] : []), ...others].map((series) => {
    const rounds = series.rounds.map((value) => formatValue(value, series)).join("  ");
    return `    ${series.name}: ${textOf(series)}, rounds ${rounds}`;
  });
  if (baseline) lines.push(`    ratio: ${median(ratios(subject, baseline)).toFixed(3)}`);
  if (goal) lines.push(`    goal: ${describeGoal(goal, finding)}: ${isMet(finding) ? "met" : "missed"}`);
  return [`  ${title}`, ...lines].join("\n");
};

/** Returns what the goal is for. */
export const valueOf = ({ of }: Goal, { subject, baseline }: Finding): number => {
  if (of === "median") return median(subject.rounds);
  if (!baseline) return Number.NaN;
  return median(of === "ratio" ? ratios(subject, baseline) : ratios(baseline, subject));
};

/** Describes what should be reached, such as "ratio ≤ 1.1". */
export const describeGoal = ({ of, relation, limit }: Goal, { subject }: Finding): string =>
  of === "median"
    ? `${relation} ${limit.toLocaleString("en")} ${subject.unit}`
    : `${of} ${relation} ${String(limit)}`;

/** Returns the median of a series with its unit. */
export const textOf = (series: Series): string =>
  `${formatValue(median(series.rounds), series)} ${series.unit}`;

const formatValue = (value: number, { unit }: Series): string => {
  if (unit === "B" || unit === "instantiations") return Math.round(value).toLocaleString("en");
  return value.toFixed(unit === "s" ? 2 : 1);
};
