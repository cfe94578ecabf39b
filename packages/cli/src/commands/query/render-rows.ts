import { escapeCsvCell } from "../../output/data-writers.js";
import { columnGap, measureColumnWidths, type TableCell } from "../../output/table-rows.js";
import { toPrintable, toPrintableTable, toSafeJson } from "../../output/printable.js";
import { leaveUnstyled, type Style } from "../../output/style.js";
import { measureWidth } from "../../output/width.js";
import { toUniqueNames } from "../../postgres/column-names.js";
import type { SingleStatement, TextRow } from "../../postgres/single-statement.js";
import { toObject } from "./row-values.js";

/** The parts of a statement that its rows are rendered from. */
type RowSource = Pick<SingleStatement, "columns" | "readPortions">;

/**
 * Renders a table, or each row as lines if the table is wider than the terminal. The first portion determines which, and the widths of the
 * columns. No value is cut.
 *
 * @param maxWidth in columns of the terminal. Undefined for a table of any width.
 */
export const renderTable = async function* (
  statement: RowSource,
  style: Style,
  maxWidth?: number,
): AsyncGenerator<string> {
  let widths: readonly number[] | undefined;
  let rendersLines = false;
  let rowNumber = 0;
  for await (const rows of statement.readPortions()) {
    if (statement.columns.length === 0) continue;
    const cells = rows.map((row) =>
      row.map((value): TableCell =>
        value === null ? { text: "NULL", emphasize: style.faint } : { text: toVisible(value) },
      ),
    );
    const titles = statement.columns.map(({ name }) => ({
      text: toVisible(name),
      emphasize: style.strong,
    }));
    const lines = widths === undefined ? [titles, ...cells] : cells;
    if (widths === undefined) {
      widths = measureColumnWidths(lines);
      const gapWidth = columnGap.length * (widths.length - 1);
      const width = widths.reduce((sum, columnWidth) => sum + columnWidth, gapWidth);
      rendersLines = titles.length > 1 && maxWidth !== undefined && width > maxWidth;
    }
    if (rendersLines) {
      const titleWidths = [Math.max(...titles.map(({ text }) => measureWidth(text)))];
      const renderRow = (row: readonly TableCell[]): string =>
        [
          `${style.faint(`row ${String(++rowNumber)}`)}\n`,
          ...row.map((cell, index) => renderLine([titles[index] ?? { text: "" }, cell], titleWidths)),
        ].join("");
      yield cells.map(renderRow).join("");
    } else yield lines.map((line) => renderLine(line, widths ?? [])).join("");
  }
};

const escapeByBreak: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Returns a text as one line that is safe on a terminal, with line breaks and tabs as escapes. */
const toVisible = (text: string): string =>
  toPrintable(text.replaceAll(/[\t\n\r]/g, (character) => escapeByBreak[character] ?? ""));

/** A value that is wider than its column moves the rest of its row. cli-table3 would take long for many rows. */
const renderLine = (cells: readonly TableCell[], widths: readonly number[]): string => {
  const lastIndex = cells.length - 1;
  const parts = cells.map(({ text, emphasize = leaveUnstyled }, index) => {
    const padding = index === lastIndex ? 0 : (widths[index] ?? 0) - measureWidth(text);
    return emphasize(text) + " ".repeat(Math.max(0, padding));
  });
  return `${parts.join(columnGap)}\n`;
};

/**
 * Renders comma-separated values. An empty text is in quotes and NULL is not, as in the CSV of Postgres. Source:
 * https://www.postgresql.org/docs/current/sql-copy.html
 *
 * @param isTerminal whether to escape what is unsafe on a terminal.
 */
export const renderCsv = async function* (statement: RowSource, isTerminal: boolean): AsyncGenerator<string> {
  const renderCell = (value: string | null): string => {
    if (value === null) return "";
    return value === "" ? '""' : escapeCsvCell(isTerminal ? toPrintableTable(value) : value);
  };
  const renderRow = (row: TextRow): string => `${row.map(renderCell).join(",")}\n`;
  let hasHeader = false;
  const renderHeader = (): string => {
    hasHeader = true;
    return renderRow(statement.columns.map(({ name }) => name));
  };
  for await (const rows of statement.readPortions())
    yield (hasHeader ? "" : renderHeader()) + rows.map(renderRow).join("");
  if (!hasHeader && statement.columns.length > 0) yield renderHeader();
};

/** Renders a list in JSON, an item after the other. */
export const renderJson = async function* (statement: RowSource): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const rows of toObjects(statement)) {
    yield separator + rows.map((row) => toSafeJson([row], 2).slice(2, -2)).join(",\n");
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
};

/** Returns the rows as objects, in portions. */
export const toObjects = async function* (
  statement: RowSource,
): AsyncGenerator<Readonly<Record<string, unknown>>[]> {
  for await (const rows of statement.readPortions()) {
    const { columns } = statement;
    const uniqueNames = toUniqueNames(columns);
    yield rows.map((row) => toObject(row, columns, uniqueNames));
  }
};
