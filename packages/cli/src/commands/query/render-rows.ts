import { escapeCsvCell } from "../../output/data-writers.js";
import { columnGap, measureColumnWidths, type TableCell } from "../../output/draw-rows.js";
import { toPrintable, toSafeJson } from "../../output/printable.js";
import { keepPlain, type Style } from "../../output/style.js";
import { measureWidth } from "../../output/width.js";
import { toUniqueNames } from "../../postgres/column-names.js";
import type { SingleStatement, TextRow } from "../../postgres/single-statement.js";
import { toObject } from "./row-values.js";

/** The parts of a statement that its rows are rendered from. */
type RowSource = Pick<SingleStatement, "columns" | "readPortions">;

/** Renders a table. The first portion determines the widths of its columns, and no value is cut. */
export const renderTable = async function* (statement: RowSource, style: Style): AsyncGenerator<string> {
  let widths: readonly number[] | undefined;
  for await (const rows of statement.readPortions()) {
    if (statement.columns.length === 0) continue;
    const cells = rows.map((row) =>
      row.map((value): TableCell =>
        value === null ? { text: "NULL", emphasize: style.faint } : { text: toPrintable(value) },
      ),
    );
    const titles = statement.columns.map(({ name }) => ({
      text: toPrintable(name),
      emphasize: style.strong,
    }));
    const lines = widths === undefined ? [titles, ...cells] : cells;
    widths ??= measureColumnWidths(lines);
    yield lines.map((line) => renderLine(line, widths ?? [])).join("");
  }
};

/** A value that is wider than its column moves the rest of its row. cli-table3 would take long for many rows. */
const renderLine = (cells: readonly TableCell[], widths: readonly number[]): string => {
  const lastIndex = cells.length - 1;
  const parts = cells.map(({ text, emphasize = keepPlain }, index) => {
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
    return value === "" ? '""' : escapeCsvCell(isTerminal ? toPrintable(value) : value);
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
