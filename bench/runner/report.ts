import type { Aim, Finding, Series } from "./bench.js";
import { median, ratios } from "./rounds.js";

/** Of a finding with an aim: whether the median is what the project wants. */
export const isMet = (finding: Finding): boolean => {
  const { aim } = finding;
  if (!aim) return true;
  const value = aim.of === "ratio" ? medianRatio(finding) : median(finding.subject.rounds);
  if (aim.relation === "≥") return value >= aim.limit;
  return aim.relation === "≤" ? value <= aim.limit : value < aim.limit;
};

/** A finding as lines of text: medians, every raw round, the ratio and the aim. */
export const describe = (finding: Finding): string => {
  const { title, subject, baseline, others = [], aim, notes = [] } = finding;
  const rows = [subject, ...(baseline ? [baseline] : []), ...others].map((series) => [
    series.name,
    `${format(median(series.rounds), series)} ${series.unit}`,
    series.rounds.map((value) => format(value, series)).join("  "),
  ]);
  if (baseline) {
    const each = ratios(subject, baseline);
    rows.push(["ratio", median(each).toFixed(3), each.map((value) => value.toFixed(3)).join("  ")]);
  }
  const verdict = aim ? [`  aim ${describeAim(aim, finding)}: ${isMet(finding) ? "met" : "missed"}`] : [];
  return [`  ${title}`, ...alignColumns(rows), ...verdict, ...notes.map((note) => `  ${note}`)].join("\n");
};

const medianRatio = ({ subject, baseline }: Finding): number =>
  baseline ? median(ratios(subject, baseline)) : Number.NaN;

const describeAim = ({ of, relation, limit }: Aim, { subject }: Finding): string =>
  of === "ratio" ? `ratio ${relation} ${String(limit)}` : `${relation} ${String(limit)} ${subject.unit}`;

const format = (value: number, { unit }: Series): string => {
  if (unit === "req/s" || unit === "B" || unit === "instantiations") {
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
