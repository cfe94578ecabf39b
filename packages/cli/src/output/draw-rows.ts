import Table from "cli-table3";
import { isPlain } from "./printable.js";
import { type Emphasize, same } from "./style.js";
import { widthOf } from "./width.js";

/** Between two columns. */
export const gap = "  ";

/** A string without line breaks, and its emphasis. */
export interface Cell {
  readonly text: string;
  readonly emphasize?: Emphasize;
}

/** cli-table3 takes time that grows with the square of the rows of one table. */
const rowsPerTable = 50;

/** Columns are separated by spaces alone, so that nothing has to be removed after copying or before parsing. */
const chars = {
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
  middle: gap,
};

const style = { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true };

/**
 * A character that takes one column. cli-table3 does not know the width of every script, and is slow with strings whose width is not their
 * length. In place of such a string it gets one placeholder for each column that the string takes, at most as many as its column of the
 * table is wide.
 */
const placeholder = "\ue000";

/** Returns the widths that columns need. */
export const widthsOf = (rows: readonly (readonly Cell[])[]): number[] => {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, { text }] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, widthOf(text));
  return widths;
};

/**
 * Draws rows with cli-table3. Returns a line for each row.
 *
 * @param widths Of the columns. A wider text moves the rest of its row.
 */
export const drawRows = (rows: readonly (readonly Cell[])[], widths: readonly number[]): string[] => {
  const lines: string[] = [];
  for (let first = 0; first < rows.length; first += rowsPerTable)
    lines.push(...drawTable(rows.slice(first, first + rowsPerTable), widths));
  return lines;
};

const drawTable = (rows: readonly (readonly Cell[])[], widths: readonly number[]): string[] => {
  const table = new Table({ chars, style, colWidths: [...widths] });
  const replaced: { readonly text: string; readonly width: number }[] = [];
  for (const row of rows) {
    table.push(
      row.map(({ text, emphasize = same }, index) => {
        const width = widthOf(text);
        const available = widths[index] ?? width;
        if (isPlain(text) && width <= available) return emphasize(text);
        replaced.push({ text, width });
        return emphasize(placeholder.repeat(Math.max(1, Math.min(width, available))));
      }),
    );
  }
  let next = 0;
  const drawn = table.toString().replaceAll(/\ue000+/g, (run) => {
    const { text = "", width = 0 } = replaced[next++] ?? {};
    return text + " ".repeat(Math.max(0, run.length - width));
  });
  return drawn.split("\n").map((line) => line.trimEnd());
};
