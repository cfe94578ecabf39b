import { isObject, valueAt } from "../json-path.js";
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

const csvCell = (text: string): string =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

/**
 * Renders one resource as variables for a shell: `DATABASE_ID='db_…'`. Names start with the type of the resource, so that
 * they do not replace variables such as `USER`.
 */
export const renderEnv = (value: unknown, isTerminal: boolean): string => {
  const type = valueAt(value, ["type"]);
  const prefix = typeof type === "string" ? type : "mgmt";
  return leaves(value, [prefix])
    .filter(([path]) => path.length !== 2 || path[1] !== "type")
    .map(([path, leaf]) => {
      const text = textOf(leaf);
      const quoted = `'${(isTerminal ? printable(text) : text).replaceAll("'", `'\\''`)}'`;
      return `${path.map(variable).join("_")}=${quoted}\n`;
    })
    .join("");
};

const leaves = (value: unknown, path: readonly string[]): [path: readonly string[], leaf: unknown][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
    : [[path, value]];

const variable = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/\W/g, "_")
    .toUpperCase();
