import { getAtPath } from "../json/json-path.js";
import { wrapText } from "./wrap.js";
import { type Column, selectListColumns, selectDetailFields } from "./columns.js";
import { type TableCell, renderTableRows, columnGap, measureColumnWidths } from "./table-rows.js";
import type { ListLayout, ListWriter } from "./list-writer.js";
import { formatRelativeTime, formatValue, isTime } from "./format-value.js";
import { toPrintable } from "./printable.js";
import { type TextStyle, leaveUnstyled, type Style } from "./style.js";
import { truncateToWidth, measureWidth } from "./width.js";

/** Maximum width of a cell if the table does not fit into the terminal. Ids are never cut. */
const maxTextWidth = 40;

/** Minimum width of a column. It is hidden rather than cut further. */
const minTextWidth = 8;

interface TableColumn extends Column {
  /** The keys of the path. */
  readonly keys: readonly string[];
  readonly canBeCut: boolean;
  /** Whether its cells are still useful if they are much narrower. */
  readonly canShrink: boolean;
  readonly isStatus: boolean;
}

const toTableColumn = (column: Column, index: number): TableColumn => {
  const { path } = column;
  const canBeCut = index > 0 && !/(^|\.)id$|Id$/.test(path);
  const isStatus = path.endsWith("status");
  return {
    ...column,
    keys: path.split("."),
    canBeCut,
    canShrink: canBeCut && !isStatus && !path.endsWith("At"),
    isStatus,
  };
};

/**
 * Writes a table. The first page fixes the columns and their widths. Longer cells on later pages are cut to fit the terminal. Ids stay
 * whole and move the rest of their row, as do all cells without a terminal.
 */
export class TableWriter implements ListWriter {
  /** Titles of the columns that do not fit into the terminal. Known after the first page. */
  readonly hiddenTitles: string[] = [];
  private columns: readonly TableColumn[] = [];
  private widths: number[] = [];
  private maxCellWidth = Infinity;

  constructor(private readonly layout: ListLayout) {}

  renderPage(items: readonly unknown[]): string {
    if (items.length === 0) return "";
    const { layout } = this;
    const isFirstPage = this.columns.length === 0;
    if (isFirstPage)
      this.columns = (layout.columns ?? selectListColumns(layout.resource, items)).map(toTableColumn);
    const values = items.map((item) => this.columns.map(({ keys }) => getAtPath(item, keys)));
    const rows = values.map((row) => row.map((value) => this.formatCell(value)));
    if (isFirstPage) this.fitColumns(rows);
    const head = isFirstPage
      ? [this.renderTitles().map((text) => ({ text, emphasize: layout.style.strong }))]
      : [];
    const cells = rows.map((row, rowIndex) =>
      this.cutCells(row).map((text, index) => ({
        text,
        emphasize: selectValueStyle(values[rowIndex]?.[index], text, this.columns[index], layout.style),
      })),
    );
    return joinLines(renderTableRows([...head, ...cells], this.widths));
  }

  private renderTitles(): string[] {
    return this.columns.map(({ title }) => toPrintable(title.toUpperCase()));
  }

  /** Cuts cells, and then hides trailing columns, until the table fits. Columns that the user chose stay as they are. */
  private fitColumns(rows: readonly (readonly string[])[]): void {
    const titles = this.renderTitles().map(measureWidth);
    this.widths = this.computeColumnWidths(titles, rows);
    if (this.computeRemainingWidth() >= 0) return;
    this.maxCellWidth = maxTextWidth;
    this.widths = this.computeColumnWidths(titles, rows);
    for (
      let lastIndex = this.columns.length - 1;
      this.computeRemainingWidth() < 0 && lastIndex > 0;
      lastIndex -= 1
    ) {
      const shrunkWidth = (this.widths[lastIndex] ?? 0) + this.computeRemainingWidth();
      if (
        this.columns[lastIndex]?.canShrink &&
        shrunkWidth >= Math.max(minTextWidth, titles[lastIndex] ?? 0)
      ) {
        this.widths[lastIndex] = shrunkWidth;
        return;
      }
      this.hiddenTitles.unshift(this.columns[lastIndex]?.title ?? "");
      this.columns = this.columns.slice(0, lastIndex);
      this.widths = this.widths.slice(0, lastIndex);
    }
  }

  /** Cuts cells that are wider than their column, if the terminal has a width. An id stays whole, and moves the rest of its row. */
  private cutCells(row: readonly string[]): string[] {
    const isLimited = this.computeRemainingWidth() < Infinity;
    return this.columns.map(({ canBeCut }, index) => {
      const text = row[index] ?? "";
      return canBeCut && isLimited ? truncateToWidth(text, this.widths[index] ?? 0) : text;
    });
  }

  /** Returns the widths of columns whose titles have these widths, and that contain these rows. */
  private computeColumnWidths(widths: readonly number[], rows: readonly (readonly string[])[]): number[] {
    return widths.map((width, index) => {
      const widestCell = rows.reduce(
        (maxWidth, row) => Math.max(maxWidth, measureWidth(row[index] ?? "")),
        width,
      );
      return this.columns[index]?.canBeCut
        ? Math.max(width, Math.min(widestCell, this.maxCellWidth))
        : widestCell;
    });
  }

  /** Returns how many columns of the terminal are left. Columns that the user chose are printed as they are. */
  private computeRemainingWidth(): number {
    const { columns, width = Infinity } = this.layout;
    if (columns) return Infinity;
    return (
      width -
      this.widths.reduce((sum, columnWidth) => sum + columnWidth, columnGap.length * (this.widths.length - 1))
    );
  }

  private formatCell(value: unknown): string {
    return this.layout.isTerminal && isTime(value) ? formatRelativeTime(value) : formatValue(value);
  }
}

/** Renders one resource with one line for each field. A value that is too long to be beside its title follows below. */
export const renderDetails = (
  value: unknown,
  { resource, columns, style, isTerminal, width: availableWidth = Infinity }: ListLayout,
): string => {
  const fields = (columns ?? selectDetailFields(resource, value)).flatMap((column) => {
    const field = getAtPath(value, column.path.split("."));
    if (field === undefined) return [];
    const text = formatValue(field);
    const relativeText = isTerminal && isTime(field) ? ` (${formatRelativeTime(field)})` : "";
    const relativeSuffix =
      columnGap.length + text.length + relativeText.length <= availableWidth ? relativeText : "";
    const emphasize = selectValueStyle(field, text, toTableColumn(column, 0), style);
    const emphasizeWithFaintSuffix = (lineText: string): string =>
      lineText.slice(0, -relativeSuffix.length) + style.faint(relativeSuffix);
    return [
      {
        title: toPrintable(column.title),
        text: text + relativeSuffix,
        emphasize: relativeSuffix === "" ? emphasize : emphasizeWithFaintSuffix,
      },
    ];
  });
  const titleWidth = Math.max(0, ...fields.map(({ title }) => measureWidth(title)));
  const fitsBesideTitle = ({ text }: TableCell): boolean =>
    titleWidth + columnGap.length + measureWidth(text) <= availableWidth;
  const rows = fields.map((field) => [
    { text: field.title, emphasize: style.strong },
    fitsBesideTitle(field) ? field : { text: "" },
  ]);
  const renderedLines = renderTableRows(rows, measureColumnWidths(rows));
  return joinLines(
    fields.flatMap((field, index) => [
      renderedLines[index] ?? "",
      ...(fitsBesideTitle(field)
        ? []
        : wrapText(field.text, availableWidth - columnGap.length).map(
            (line) => columnGap + field.emphasize(line),
          )),
    ]),
  );
};

const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

const selectValueStyle = (
  value: unknown,
  text: string,
  column: TableColumn | undefined,
  style: Style,
): TextStyle => {
  if (value === null || value === undefined) return style.faint;
  return column?.isStatus ? selectStatusStyle(text, style) : leaveUnstyled;
};

const selectStatusStyle = (status: string, style: Style): TextStyle => {
  if (
    ["ready", "available", "running", "completed", "approved", "approved_window", "deleted"].includes(status)
  ) {
    return style.good;
  }
  return ["failure", "failed", "denied", "expired", "unavailable"].includes(status) ? style.bad : style.busy;
};
