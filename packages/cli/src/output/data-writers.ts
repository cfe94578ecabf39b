import { isObject, getAtPath } from "../json/json-path.js";
import { type Column, selectListColumns } from "./columns.js";
import type { ListLayout, ListWriter } from "./list-writer.js";
import { toPrintable, toSafeJson } from "./printable.js";

/** Writes each item as a line of JSON. */
export const createNdjsonWriter = (): ListWriter => ({
  renderPage: (items) => items.map((item) => `${toSafeJson(item)}\n`).join(""),
});

/** Fields that identify an item, most specific first: of resources, of operations, and of settings. */
export const idFields = ["id", "name", "operationId", "key"] as const;

/** Writes the id of each item on a line of its own, for the arguments of another command. */
export const createIdWriter = (): ListWriter => ({
  renderPage: (items) =>
    items
      .flatMap((item) => formatIdentifier(item) ?? [])
      .map((name) => `${name}\n`)
      .join(""),
});

const formatIdentifier = (item: unknown): string | undefined => {
  const name = isObject(item)
    ? idFields.map((field) => item[field]).find((value) => value !== undefined && value !== null)
    : item;
  return name === undefined || name === null ? undefined : toPrintable(toPlainText(name));
};

/** Writes comma-separated values with a header, as RFC 4180 describes them, except that lines end with LF. */
export class CsvWriter implements ListWriter {
  private columns: readonly Column[] | undefined;

  constructor(private readonly layout: ListLayout) {}

  renderPage(items: readonly unknown[]): string {
    const { resource, columns, isTerminal } = this.layout;
    const isFirstPage = this.columns === undefined;
    this.columns ??= columns ?? selectListColumns(resource, items);
    const paths = this.columns.map(({ path }) => path);
    const rows = items.map((item) =>
      paths.map((path) => {
        const text = toPlainText(getAtPath(item, path.split(".")));
        return isTerminal ? toPrintable(text) : text;
      }),
    );
    return [...(isFirstPage ? [paths] : []), ...rows]
      .map((row) => `${row.map(escapeCsvCell).join(",")}\n`)
      .join("");
  }
}

/**
 * Returns a text as a cell of CSV (https://www.rfc-editor.org/rfc/rfc4180). A text that starts with `::` is quoted as well, because a CI
 * system could take a line that starts so for a command.
 */
export const escapeCsvCell = (text: string): string =>
  /[",\r\n]|^\s|\s$|^::/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Returns a value as text: an object or an array as JSON, and nothing for one that is absent. */
export const toPlainText = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};
