import { valueAt } from "../json-path.js";
import { type Column, columnsOf, detailsOf } from "./columns.js";
import type { ListLayout, ListWriter } from "./list-writer.js";
import { printable } from "./printable.js";
import { isTime, relativeTime } from "./relative-time.js";
import type { Style } from "./style.js";
import { cutTo, widthOf } from "./width.js";

const gap = "  ";

/** Longer texts are cut if the table does not fit into the terminal. Ids are never cut. */
const maximumTextWidth = 40;

interface TableColumn extends Column {
  /** The path, split. */
  readonly keys: readonly string[];
  readonly isCut: boolean;
  readonly isStatus: boolean;
}

const tableColumn = (column: Column, index: number): TableColumn => {
  const { path } = column;
  return {
    ...column,
    keys: path.split("."),
    isCut: index > 0 && !/(^|\.)id$|Id$/.test(path),
    isStatus: path.endsWith("status"),
  };
};

/** Writes a table. The columns of the first page stay, and become wider for longer values on later pages. */
export class TableWriter implements ListWriter {
  /** Titles of the columns that do not fit into the terminal. Known after the first page. */
  readonly hidden: string[] = [];
  private columns: readonly TableColumn[] = [];
  private widths: number[] = [];
  private maximum = Infinity;

  constructor(private readonly layout: ListLayout) {}

  page(items: readonly unknown[]): string {
    if (items.length === 0) return "";
    const isFirst = this.columns.length === 0;
    const { layout } = this;
    if (isFirst) this.columns = (layout.columns ?? columnsOf(layout.resource, items)).map(tableColumn);
    const values = items.map((item) => this.columns.map(({ keys }) => valueAt(item, keys)));
    const rows = values.map((row) => row.map((value) => this.textOf(value)));
    if (isFirst) this.fit([this.titles(), ...rows]);
    for (const row of rows) {
      row.length = this.columns.length;
      this.cut(row);
      this.widen(row);
    }
    const lines = isFirst ? [this.line(this.titles(), (text) => layout.style.strong(text))] : [];
    for (const [index, row] of rows.entries()) {
      const ofRow = values[index];
      lines.push(this.line(row, (text, column, at) => emphasized(text, ofRow?.[at], column, layout.style)));
    }
    return `${lines.join("\n")}\n`;
  }

  private titles(): string[] {
    return this.columns.map(({ title }) => title.toUpperCase());
  }

  /** Drops trailing columns until the rest fits. Columns that the user chose are all kept. */
  private fit(rows: readonly (readonly string[])[]): void {
    const { width: available = Infinity } = this.layout;
    for (const row of rows) this.widen(row);
    if (this.layout.columns || this.totalWidth() <= available) return;
    this.maximum = maximumTextWidth;
    this.widths = this.widths.map((width, index) =>
      this.columns[index]?.isCut ? Math.min(width, this.maximum) : width,
    );
    while (this.columns.length > 1 && this.totalWidth() > available) {
      const dropped = this.columns.at(-1);
      if (dropped) this.hidden.unshift(dropped.title);
      this.columns = this.columns.slice(0, -1);
      this.widths = this.widths.slice(0, -1);
    }
    // Its values are set again, cut, when the rows are printed.
    this.widths = this.columns.map(({ title }) => title.length);
  }

  private totalWidth(): number {
    return this.widths.reduce((sum, width) => sum + width, gap.length * (this.widths.length - 1));
  }

  private widen(row: readonly string[]): void {
    for (let index = 0; index < row.length; index += 1) {
      this.widths[index] = Math.max(this.widths[index] ?? 0, widthOf(row[index] ?? ""));
    }
  }

  private cut(row: string[]): void {
    if (this.maximum === Infinity) return;
    for (const [index, text] of row.entries()) {
      if (this.columns[index]?.isCut) row[index] = cutTo(text, this.maximum);
    }
  }

  private textOf(value: unknown): string {
    return this.layout.isTerminal && isTime(value) ? relativeTime(value) : textOf(value);
  }

  private line(
    texts: readonly string[],
    emphasize: (text: string, column: TableColumn, index: number) => string,
  ): string {
    const last = texts.length - 1;
    let line = "";
    for (const [index, column] of this.columns.entries()) {
      const text = texts[index] ?? "";
      line += emphasize(text, column, index);
      if (index < last) line += " ".repeat((this.widths[index] ?? 0) - widthOf(text)) + gap;
    }
    return line.trimEnd();
  }
}

/** Renders one resource with one line for each field. */
export const renderDetails = (
  value: unknown,
  { resource, columns, style, isTerminal }: ListLayout,
): string => {
  const lines = (columns ?? detailsOf(resource, value)).filter(
    (column) => valueOf(value, column) !== undefined,
  );
  const width = Math.max(0, ...lines.map(({ title }) => widthOf(printable(title))));
  return lines
    .map((column) => {
      const title = printable(column.title);
      const field = valueOf(value, column);
      const age = isTerminal && isTime(field) ? style.faint(` (${relativeTime(field)})`) : "";
      const padding = " ".repeat(width - widthOf(title));
      return `${style.strong(title)}${padding}${gap}${emphasized(textOf(field), field, tableColumn(column, 0), style)}${age}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join("");
};

const valueOf = (item: unknown, { path }: Column): unknown => valueAt(item, path.split("."));

const emphasized = (
  text: string,
  value: unknown,
  { isStatus }: Pick<TableColumn, "isStatus">,
  style: Style,
): string => {
  if (value === null || value === undefined) return style.faint(text);
  return isStatus ? colored(text, style) : text;
};

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((entry) => typeof entry !== "object")) {
    return printable(value.join(", "));
  }
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
};

const colored = (status: string, style: Style): string => {
  if (
    ["ready", "available", "running", "completed", "approved", "approved_window", "deleted"].includes(status)
  ) {
    return style.good(status);
  }
  return ["failure", "failed", "denied", "expired", "unavailable"].includes(status)
    ? style.bad(status)
    : style.busy(status);
};
