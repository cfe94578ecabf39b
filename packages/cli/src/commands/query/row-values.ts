import type { TextRow } from "../../postgres/single-statement.js";

/** The rows of a statement. */
export type QueryResult = readonly Readonly<Record<string, QueryValue>>[];
export type QueryValue = string | number | boolean | null;

/** The parts of a column that its values depend on. */
export interface QueryColumn {
  readonly name: string;
  /** The number of its type in Postgres. */
  readonly dataTypeID: number;
}

// The numbers of these types are the same in every database. Source:
// https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat
const booleanType = 16;
/** smallint, integer, oid, real and double precision, which a number of JavaScript holds exactly. */
const numberTypes: readonly number[] = [21, 23, 26, 700, 701];

/** Returns a row as an object with JSON values. */
export const toObject = (
  row: TextRow,
  columns: readonly QueryColumn[],
  uniqueNames: readonly string[],
): Record<string, QueryValue> =>
  Object.fromEntries(
    row.map((text, index) => [uniqueNames[index] ?? "", toQueryValue(text, columns[index]?.dataTypeID)]),
  );

const toQueryValue = (text: string | null, type: number | undefined): QueryValue => {
  if (text === null || type === undefined) return text;
  if (type === booleanType) return text === "t";
  if (!numberTypes.includes(type)) return text;
  const number = Number(text);
  // JSON has neither NaN, nor infinity, nor a negative zero.
  return Number.isFinite(number) && !Object.is(number, -0) ? number : text;
};
