import { valueAt } from "../json/json-path.js";
import { wrap } from "./wrap.js";
import { type Column, columnsOf, detailsOf } from "./columns.js";
import { type Cell, drawRows, gap, widthsOf } from "./draw-rows.js";
import type { ListLayout, ListWriter } from "./list-writer.js";
import { printable } from "./printable.js";
import { type Emphasize, same, type Style } from "./style.js";
import { cutTo, widthOf } from "./width.js";

/** Longer cells are cut if the table does not fit into the terminal. Ids are never cut. */
const maximumTextWidth = 40;

/** A column is dropped rather than cut to less. */
const minimumTextWidth = 8;

interface TableColumn extends Column {
  /** The path, split. */
  readonly keys: readonly string[];
  readonly isCut: boolean;
  /** Whether its cells are still useful if they are cut to much less. */
  readonly isShrunk: boolean;
  readonly isStatus: boolean;
}

const tableColumn = (column: Column, index: number): TableColumn => {
  const { path } = column;
  const isCut = index > 0 && !/(^|\.)id$|Id$/.test(path);
  const isStatus = path.endsWith("status");
  return {
    ...column,
    keys: path.split("."),
    isCut,
    isShrunk: isCut && !isStatus && !path.endsWith("At"),
    isStatus,
  };
};

/**
 * Writes a table. The first page fixes the columns and their widths. Longer cells on later pages are cut to fit the terminal. Ids stay
 * whole and move the rest of their row, as do all cells without a terminal.
 */
export class TableWriter implements ListWriter {
  /** Titles of the columns that do not fit into the terminal. Known after the first page. */
  readonly hidden: string[] = [];
  private columns: readonly TableColumn[] = [];
  private widths: number[] = [];
  private maximum = Infinity;

  constructor(private readonly layout: ListLayout) {}

  page(items: readonly unknown[]): string {
    if (items.length === 0) return "";
    const { layout } = this;
    const isFirst = this.columns.length === 0;
    if (isFirst) this.columns = (layout.columns ?? columnsOf(layout.resource, items)).map(tableColumn);
    const values = items.map((item) => this.columns.map(({ keys }) => valueAt(item, keys)));
    const rows = values.map((row) => row.map((value) => this.textOf(value)));
    if (isFirst) this.fit(rows);
    const head = isFirst ? [this.titles().map((text) => ({ text, emphasize: layout.style.strong }))] : [];
    const cells = rows.map((row, at) =>
      this.fitted(row).map((text, index) => ({
        text,
        emphasize: emphasisOf(values[at]?.[index], text, this.columns[index], layout.style),
      })),
    );
    return linesOf(drawRows([...head, ...cells], this.widths));
  }

  private titles(): string[] {
    return this.columns.map(({ title }) => printable(title.toUpperCase()));
  }

  /** Drops trailing columns until the rest fits, with cut cells. Columns that the user chose are kept whole. */
  private fit(rows: readonly (readonly string[])[]): void {
    const titles = this.titles().map(widthOf);
    this.widths = this.widest(titles, rows);
    if (this.space() >= 0) return;
    this.maximum = maximumTextWidth;
    this.widths = this.widest(titles, rows);
    for (let last = this.columns.length - 1; this.space() < 0 && last > 0; last -= 1) {
      const cut = (this.widths[last] ?? 0) + this.space();
      if (this.columns[last]?.isShrunk && cut >= Math.max(minimumTextWidth, titles[last] ?? 0)) {
        this.widths[last] = cut;
        return;
      }
      this.hidden.unshift(this.columns[last]?.title ?? "");
      this.columns = this.columns.slice(0, last);
      this.widths = this.widths.slice(0, last);
    }
  }

  /** Cuts cells that are wider than their column, if the terminal has a width. An id stays whole, and moves the rest of its row. */
  private fitted(row: readonly string[]): string[] {
    const isLimited = this.space() < Infinity;
    return this.columns.map(({ isCut }, index) => {
      const text = row[index] ?? "";
      return isCut && isLimited ? cutTo(text, this.widths[index] ?? 0) : text;
    });
  }

  /** Returns the widths that hold these widths and rows. */
  private widest(widths: readonly number[], rows: readonly (readonly string[])[]): number[] {
    return widths.map((width, index) => {
      const widest = rows.reduce((most, row) => Math.max(most, widthOf(row[index] ?? "")), width);
      return this.columns[index]?.isCut ? Math.max(width, Math.min(widest, this.maximum)) : widest;
    });
  }

  /** Returns how many columns of the terminal are left. Columns that the user chose are printed as they are. */
  private space(): number {
    const { columns, width = Infinity } = this.layout;
    if (columns) return Infinity;
    return width - this.widths.reduce((sum, column) => sum + column, gap.length * (this.widths.length - 1));
  }

  private textOf(value: unknown): string {
    return this.layout.isTerminal && isTime(value) ? relativeTime(value) : textOf(value);
  }
}

/** Renders one resource with one line for each field. A value that is too long to be beside its title follows below. */
export const renderDetails = (
  value: unknown,
  { resource, columns, style, isTerminal, width: available = Infinity }: ListLayout,
): string => {
  const fields = (columns ?? detailsOf(resource, value)).flatMap((column) => {
    const field = valueAt(value, column.path.split("."));
    if (field === undefined) return [];
    const text = textOf(field);
    const relative = isTerminal && isTime(field) ? ` (${relativeTime(field)})` : "";
    const age = gap.length + text.length + relative.length <= available ? relative : "";
    const emphasize = emphasisOf(field, text, tableColumn(column, 0), style);
    const withAge = (colored: string): string => colored.slice(0, -age.length) + style.faint(age);
    return [
      { title: printable(column.title), text: text + age, emphasize: age === "" ? emphasize : withAge },
    ];
  });
  const titleWidth = Math.max(0, ...fields.map(({ title }) => widthOf(title)));
  const fits = ({ text }: Cell): boolean => titleWidth + gap.length + widthOf(text) <= available;
  const rows = fields.map((field) => [
    { text: field.title, emphasize: style.strong },
    fits(field) ? field : { text: "" },
  ]);
  const drawn = drawRows(rows, widthsOf(rows));
  return linesOf(
    fields.flatMap((field, index) => [
      drawn[index] ?? "",
      ...(fits(field)
        ? []
        : wrap(field.text, available - gap.length).map((line) => gap + field.emphasize(line))),
    ]),
  );
};

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

const emphasisOf = (
  value: unknown,
  text: string,
  column: TableColumn | undefined,
  style: Style,
): Emphasize => {
  if (value === null || value === undefined) return style.faint;
  return column?.isStatus ? statusStyle(text, style) : same;
};

/** Digits that people read of a number with decimals. */
const digits = 4;

/** Rounds decimals. Whole numbers and the whole part stay exact. */
const rounded = (value: number): number => {
  const wholeDigits = String(Math.trunc(Math.abs(value))).length;
  return Number.isInteger(value) ? value : Number(value.toPrecision(Math.max(digits, wholeDigits)));
};

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(rounded(value));
  if (Array.isArray(value) && value.every((entry) => typeof entry !== "object")) {
    return printable(value.join(", "));
  }
  return printable(typeof value === "object" ? JSON.stringify(value) : String(value));
};

const statusStyle = (status: string, style: Style): Emphasize => {
  if (
    ["ready", "available", "running", "completed", "approved", "approved_window", "deleted"].includes(status)
  ) {
    return style.good;
  }
  return ["failure", "failed", "denied", "expired", "unavailable"].includes(status) ? style.bad : style.busy;
};

const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Whether a value is a point in time as the API writes it. */
const isTime = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(value);

/** Returns the distance of an ISO time from now, for people: `3 hours ago`, `in 5 days`. */
const relativeTime = (time: string, now = Date.now()): string => {
  const seconds = (Date.parse(time) - now) / 1_000;
  const distance = Math.abs(seconds);
  for (const [unit, length] of units) {
    const count = Math.floor(distance / length);
    if (count === 0) continue;
    const text = `${count} ${unit}${count === 1 ? "" : "s"}`;
    return seconds < 0 ? `${text} ago` : `in ${text}`;
  }
  return seconds <= 0 ? "just now" : "in less than a minute";
};
