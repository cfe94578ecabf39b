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

/** Writes a table. The columns of the first page stay, and become wider for longer values on later pages. */
export class TableWriter implements ListWriter {
  /** Titles of the columns that do not fit into the terminal. Known after the first page. */
  readonly hidden: string[] = [];
  private columns: readonly Column[] = [];
  private widths: number[] = [];
  private maximum = Infinity;

  constructor(private readonly layout: ListLayout) {}

  page(items: readonly unknown[]): string {
    if (items.length === 0) return "";
    const isFirst = this.columns.length === 0;
    if (isFirst) this.columns = this.layout.columns ?? columnsOf(this.layout.resource, items);
    let rows = items.map((item) => this.columns.map((column) => this.textAt(item, column)));
    if (isFirst) {
      const titles = this.columns.map(({ title }) => title.toUpperCase());
      this.fit([titles, ...rows]);
      rows = rows.map((row) => row.slice(0, this.columns.length));
    }
    const lines = rows.map((row) => row.map((text, index) => this.cut(text, index)));
    for (const line of lines) this.widen(line);
    const { style } = this.layout;
    const head = isFirst
      ? [
          this.line(
            this.columns.map(({ title }) => title.toUpperCase()),
            style.strong,
          ),
        ]
      : [];
    const body = lines.map((line, index) =>
      this.line(line, (text, column) => emphasized(text, valueOf(items[index], column), column, style)),
    );
    return `${[...head, ...body].join("\n")}\n`;
  }

  /** Drops trailing columns until the rest fits. Columns that the user chose are all kept. */
  private fit(rows: readonly (readonly string[])[]): void {
    const { width: available = Infinity } = this.layout;
    for (const row of rows) this.widen(row);
    if (this.layout.columns || this.totalWidth() <= available) return;
    this.maximum = maximumTextWidth;
    this.widths = this.widths.map((width, index) =>
      this.isCut(index) ? Math.min(width, this.maximum) : width,
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
    for (const [index, text] of row.entries()) {
      this.widths[index] = Math.max(this.widths[index] ?? 0, widthOf(text));
    }
  }

  private cut(text: string, index: number): string {
    return this.isCut(index) ? cutTo(text, this.maximum) : text;
  }

  private isCut(index: number): boolean {
    return index > 0 && !/(^|\.)id$|Id$/.test(this.columns[index]?.path ?? "");
  }

  private textAt(item: unknown, column: Column): string {
    const value = valueOf(item, column);
    return this.layout.isTerminal && isTime(value) ? relativeTime(value) : textOf(value);
  }

  private line(texts: readonly string[], emphasize: (text: string, column: Column) => string): string {
    const last = texts.length - 1;
    return texts
      .map((text, index) => {
        const column = this.columns[index];
        const padding = index === last ? "" : " ".repeat((this.widths[index] ?? 0) - widthOf(text));
        return column ? emphasize(text, column) + padding : text;
      })
      .join(gap)
      .trimEnd();
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
      return `${style.strong(title)}${padding}${gap}${emphasized(textOf(field), field, column, style)}${age}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join("");
};

const valueOf = (item: unknown, { path }: Column): unknown => valueAt(item, path.split("."));

const emphasized = (text: string, value: unknown, { path }: Column, style: Style): string => {
  if (value === null || value === undefined) return style.faint(text);
  return path.endsWith("status") ? colored(text, style) : text;
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
