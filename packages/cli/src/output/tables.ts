import Table from "cli-table3";
import { valueAt } from "../json-path.js";
import { type Column, columnsOf, detailsOf } from "./columns.js";
import { printable } from "./printable.js";
import type { Style } from "./style.js";

const noBorders = {
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
  middle: "  ",
};

const rows = (lines: string[][]): string => {
  // Without widths no cell is ever cut off. A long line may wrap on the terminal, but ids stay whole.
  const table = new Table({
    chars: noBorders,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  table.push(...lines);
  return `${table.toString().replaceAll(/ +$/gm, "")}\n`;
};

/** Renders a list with one line for each resource. */
export const renderList = (items: readonly unknown[], resource: string | undefined, style: Style): string => {
  const columns = columnsOf(resource, items);
  const head = columns.map(({ title }) => style.strong(title.toUpperCase()));
  return rows([head, ...items.map((item) => columns.map((column) => cell(item, column, style)))]);
};

/** Renders one resource with one line for each field. */
export const renderDetails = (value: unknown, resource: string | undefined, style: Style): string => {
  const lines = detailsOf(resource, value).filter(
    ({ path }) => valueAt(value, path.split(".")) !== undefined,
  );
  return rows(lines.map((column) => [style.strong(column.title), cell(value, column, style)]));
};

const cell = (item: unknown, { path }: Column, style: Style): string => {
  const value = valueAt(item, path.split("."));
  const text = textOf(value);
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
  if (["ready", "available", "running", "completed", "approved", "approved_window"].includes(status)) {
    return style.good(status);
  }
  return ["failure", "failed", "denied", "expired", "unavailable"].includes(status)
    ? style.bad(status)
    : style.busy(status);
};
