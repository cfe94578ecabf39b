import type { Run } from "./matrix.js";
import type { Outcome } from "./stranger.js";

/** A run with what came of it. */
export interface Followed extends Run {
  nodeVersion: string;
  managerVersion: string;
  /** How often it was followed: twice if it failed the first time. */
  attempts: number;
  outcome: Outcome;
}

/** Returns a table with a row for each run. */
export const tableOf = (all: readonly Followed[]): string => {
  const rows = all.map(({ page, manager, nodeVersion, managerVersion, attempts, outcome }) => [
    page,
    nodeVersion,
    `${manager.replace(/-\d+$/, "")} ${managerVersion}`,
    outcome.faults.length > 0 ? "FAILS" : attempts > 1 ? "ok (2nd)" : "ok",
    (outcome.milliseconds / 1_000).toFixed(0),
    Object.entries(outcome.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
  ]);
  const table = [["page", "Node.js", "package manager", "", "seconds", "versions found"], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
};
