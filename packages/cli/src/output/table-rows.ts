import Table from "cli-table3";
import { isPlainAscii } from "./printable.js";
import { type TextStyle, leaveUnstyled } from "./style.js";
import { measureWidth } from "./width.js";

/** Between two columns. */
export const columnGap = "  ";

/** A string without line breaks, and its emphasis. */
export interface TableCell {
  readonly text: string;
  readonly emphasize?: TextStyle;
}

/** cli-table3 takes time that grows with the square of the rows of one table. */
const rowsPerTable = 50;

/** Columns are separated by spaces alone, so that nothing has to be removed after copying or before parsing. */
const tableCharacters = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: columnGap,
};

const tableStyle = { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true };

/**
 * A character that takes one column. cli-table3 does not know the width of every script, and is slow with strings whose width is not their
 * length. Instead of such a string it gets one placeholder for each column that the string takes, at most as many as its column of the
 * table is wide.
 */
const placeholder = "\ue000";

/** Returns the widths that columns need. */
export const measureColumnWidths = (rows: readonly (readonly TableCell[])[]): number[] => {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, { text }] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, measureWidth(text));
  return widths;
};

/**
 * Renders rows with cli-table3. Returns a line for each row.
 *
 * @param widths the widths of the columns. A wider text moves the rest of its row.
 */
export const renderTableRows = (
  rows: readonly (readonly TableCell[])[],
  widths: readonly number[],
): string[] => {
  const lines: string[] = [];
  for (let startIndex = 0; startIndex < rows.length; startIndex += rowsPerTable)
    lines.push(...renderChunk(rows.slice(startIndex, startIndex + rowsPerTable), widths));
  return lines;
};

const renderChunk = (rows: readonly (readonly TableCell[])[], widths: readonly number[]): string[] => {
  const table = new Table({ chars: tableCharacters, style: tableStyle, colWidths: [...widths] });
  const replacedTexts: { readonly text: string; readonly width: number }[] = [];
  for (const row of rows) {
    table.push(
      row.map(({ text, emphasize = leaveUnstyled }, index) => {
        const width = measureWidth(text);
        const availableWidth = widths[index] ?? width;
        if (isPlainAscii(text) && width <= availableWidth) return emphasize(text);
        replacedTexts.push({ text, width });
        return emphasize(placeholder.repeat(Math.max(1, Math.min(width, availableWidth))));
      }),
    );
  }
  let nextIndex = 0;
  const tableText = table.toString().replaceAll(/\ue000+/g, (placeholders) => {
    const { text = "", width = 0 } = replacedTexts[nextIndex++] ?? {};
    return text + " ".repeat(Math.max(0, placeholders.length - width));
  });
  return tableText.split("\n").map((line) => line.trimEnd());
};
