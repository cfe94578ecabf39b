import type { Finding, Series } from "./bench.js";
import type { Goal } from "./goals.js";
import { median, ratios } from "./rounds.js";

/** Returns whether a finding meets its goal; a finding without a goal always does. */
export const isMet = (finding: Finding): boolean => {
  const { goal } = finding;
  if (!goal) return true;
  const value = valueOf(goal, finding);
  if (goal.relation === "≥") return value >= goal.limit;
  return goal.relation === "≤" ? value <= goal.limit : value < goal.limit;
};

/** Formats a finding as lines of text: medians, every raw round, the ratio, and the goal. */
export const describe = (finding: Finding): string => {
  const { title, subject, baseline, others = [], goal, notes = [] } = finding;
  const rows = [subject, ...(baseline ? [baseline] : []), ...others].map((series) => [
    series.name,
    `${formatValue(median(series.rounds), series)} ${series.unit}`,
    series.rounds.map((value) => formatValue(value, series)).join("  "),
  ]);
  if (baseline) {
    const each = ratios(subject, baseline);
    rows.push(["ratio", median(each).toFixed(3), each.map((value) => value.toFixed(3)).join("  ")]);
  }
  const verdict = goal
    ? [
        `  goal ${describeGoal(goal, finding)}: ${isMet(finding) ? "met" : "missed"} (${valueOf(goal, finding).toFixed(3)})`,
      ]
    : [];
  return [`  ${title}`, ...alignColumns(rows), ...verdict, ...notes.map((note) => `  ${note}`)].join("\n");
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

/** Formats a value of a series, without its unit. */
export const formatValue = (value: number, { unit }: Series): string => {
  if (["B", "instantiations"].includes(unit)) {
    return Math.round(value).toLocaleString("en");
  }
  return value.toFixed(unit === "s" ? 2 : 1);
};

const alignColumns = (rows: readonly string[][]): string[] => {
  const [nameWidth = 0, valueWidth = 0] = [0, 1].map((column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows.map(
    ([name = "", value = "", rounds = ""]) =>
      `    ${name.padEnd(nameWidth)}  ${value.padStart(valueWidth)}   rounds  ${rounds}`,
  );
};
