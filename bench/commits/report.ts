import type { Row } from "../rows/measurement.js";
import { median } from "../runner/rounds.js";
import { type Costs, growthOf, seemsWorse } from "./verdict.js";

export interface Comparison extends Costs {
  readonly row: Row;
  readonly baseline?: { readonly name: string; readonly values: readonly number[] };
}

/** Formats one row: the least and the median of each contender, how much they have grown, and all rounds. */
export const printComparison = (comparison: Comparison): string => {
  const { row, base, head, baseline } = comparison;
  const growth = growthOf(comparison);
  const contenders: [string, readonly number[]][] = [
    ["base", base],
    ["now", head],
    ...(baseline ? [[baseline.name, baseline.values] as [string, readonly number[]]] : []),
  ];
  const width = Math.max(...contenders.map(([name]) => name.length));
  const lines = contenders.map(([name, values]) => {
    const summary = `least ${format(Math.min(...values))}, median ${format(median(values))} ${row.unit}`;
    return `    ${name.padEnd(width)}  ${summary.padEnd(34)}  rounds  ${values.map(format).join("  ")}`;
  });
  const change = `least ${percent(growth.least)}, median ${percent(growth.median)}`;
  return [
    `  ${row.title}: ${change}${seemsWorse(comparison) ? " (worse)" : ""}`,
    ...lines,
    ...(baseline ? [`    ${shareOf(comparison, baseline)}`] : []),
  ].join("\n");
};

const shareOf = (
  { base, head }: Costs,
  { name, values }: { name: string; values: readonly number[] },
): string => {
  const share = (costs: readonly number[]): string => (median(values) / median(costs)).toFixed(2);
  return `${name} as a share: ${share(base)} of base, ${share(head)} of now`;
};

const percent = (growth: number): string => `${growth < 0 ? "−" : "+"}${Math.abs(growth * 100).toFixed(1)} %`;

const format = (value: number): string => value.toFixed(value < 100 ? 2 : 0);
