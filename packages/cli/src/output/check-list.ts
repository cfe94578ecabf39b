import { columnGap, renderTableRows, measureColumnWidths } from "./table-rows.js";
import type { Output } from "./output.js";
import { toPrintable } from "./printable.js";
import { wrapText } from "./wrap.js";

/** The result of a check in readable form. */
export interface ListedCheck {
  readonly name: string;
  readonly status: "ok" | "warning" | "failure" | "skipped";
  readonly message: string;
  readonly hint?: string;
  /** Commands to run, the best first. These lines are not wrapped, so that they can be copied. */
  readonly commands?: readonly string[];
}

/** Beside a narrower column, messages are below the names of the checks. */
const minMessageWidth = 24;

/** Prints a line for each check, and below it what to do about a problem. On a terminal, lines are broken between words. */
export const printCheckList = async (checks: readonly ListedCheck[], output: Output): Promise<void> => {
  const style = await output.loadStyle();
  const emphasisByStatus = { ok: style.good, warning: style.busy, failure: style.bad, skipped: style.faint };
  const headCells = checks.map(({ name, status }) => [
    { text: status, emphasize: emphasisByStatus[status] },
    { text: name },
  ]);
  const columns = output.isTerminal ? output.helpWidth : Infinity;
  const headWidth = measureColumnWidths(headCells).reduce((sum, width) => sum + width + columnGap.length, 0);
  const fitsBeside = columns - headWidth >= minMessageWidth;
  const indent = " ".repeat(fitsBeside ? headWidth : 2 * columnGap.length);
  const messageLines = checks.map(({ message, hint }) =>
    [message, hint ?? []].flat().flatMap((text) => wrapText(toPrintable(text), columns - indent.length)),
  );
  const rows = headCells.map((head, index) =>
    fitsBeside ? [...head, { text: messageLines[index]?.[0] ?? "" }] : head,
  );
  const renderedRows = renderTableRows(rows, measureColumnWidths(rows));
  const lines = checks.flatMap(({ commands = [] }, index) => [
    renderedRows[index] ?? "",
    ...(messageLines[index] ?? []).slice(fitsBeside ? 1 : 0).map((text) => indent + text),
    ...commands.map((text) => `${indent}${style.strong(toPrintable(text))}`),
  ]);
  output.writeText(lines.join("\n"));
};
