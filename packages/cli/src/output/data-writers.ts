import { isObject, valueAt } from "../json/json-path.js";
import { type Column, columnsOf } from "./columns.js";
import type { ListLayout, ListWriter } from "./list-writer.js";
import { printable, toJson } from "./printable.js";

/** Writes each item as a line of JSON. */
export const ndjsonWriter = (): ListWriter => ({
  page: (items) => items.map((item) => `${toJson(item)}\n`).join(""),
});

/** Fields that identify an item, most specific first: of resources, of operations, and of settings. */
const nameFields = ["id", "name", "operationId", "key"] as const;

/** Writes the id of each item on a line of its own, for the arguments of another command. */
export const nameWriter = (): ListWriter => ({
  page: (items) =>
    items
      .flatMap((item) => nameOf(item) ?? [])
      .map((name) => `${name}\n`)
      .join(""),
});

const nameOf = (item: unknown): string | undefined => {
  const name = isObject(item)
    ? nameFields.map((field) => item[field]).find((value) => value !== undefined && value !== null)
    : item;
  return name === undefined || name === null ? undefined : printable(textOf(name));
};

/** Writes comma-separated values with a header, as RFC 4180 describes them, except that lines end with LF. */
export class CsvWriter implements ListWriter {
  private columns: readonly Column[] | undefined;

  constructor(private readonly layout: ListLayout) {}

  page(items: readonly unknown[]): string {
    const { resource, columns, isTerminal } = this.layout;
    const isFirst = this.columns === undefined;
    this.columns ??= columns ?? columnsOf(resource, items);
    const paths = this.columns.map(({ path }) => path);
    const rows = items.map((item) =>
      paths.map((path) => {
        const text = textOf(valueAt(item, path.split(".")));
        return isTerminal ? printable(text) : text;
      }),
    );
    return [...(isFirst ? [paths] : []), ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join("");
  }
}

/** A line that starts with `::` may be a command of a CI system, which one that starts with `"` is not. */
const csvCell = (text: string): string =>
  /[",\r\n]|^\s|\s$|^::/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Returns a value as text: an object or an array as JSON, and nothing for one that is absent. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};
