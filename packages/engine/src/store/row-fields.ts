import type { KeyValue } from "./keys.js";
import type { Row } from "./rows.js";
import type { Lookup } from "./store.js";

export type FieldContent = KeyValue | readonly KeyValue[];

/** Reads the value of a field, by which rows are found, from a row. */
export type FieldReader = (row: object) => FieldContent;

/** Reads a field of a row: `projectId`, or `domains.name` for the names of all its domains. */
export const createFieldReader = (field: string): FieldReader => {
  const [outerField = field, itemField] = field.split(".");
  // `keys.ts` declares only fields with such values.
  const read = (row: object, name: string) => (row as Readonly<Record<string, unknown>>)[name];
  if (itemField === undefined) return (row) => read(row, outerField) as FieldContent;
  return (row) =>
    (read(row, outerField) as readonly object[]).map((item) => read(item, itemField) as KeyValue);
};

/** Returns when a row expires, or when a job is due; infinity for a row that never does. */
export const getExpiryTime = (
  row: Row & { readonly expiresAt?: number | null; readonly dueAt?: number },
): number => row.expiresAt ?? row.dueAt ?? Infinity;

/** Returns a predicate for the rows that match the lookup. */
export const createLookupMatcher = (where: Lookup): ((row: object) => boolean) => {
  const conditions = Object.entries(where).flatMap(([field, condition]) =>
    condition === undefined ? [] : [{ read: createFieldReader(field), wanted: toList(condition) }],
  );
  return (row) =>
    conditions.every(({ read, wanted }) => toList(read(row)).some((value) => wanted.includes(value)));
};

const toList = (values: FieldContent): readonly KeyValue[] =>
  // `Array.isArray` does not narrow readonly arrays.
  Array.isArray(values) ? (values as readonly KeyValue[]) : [values as KeyValue];

/** Returns a predicate for the rows whose text fields contain these strings. */
export const createTextMatcher = (containing: object | undefined): ((row: object) => boolean) => {
  // `containing` has only names of text fields.
  const texts = Object.entries<string | undefined>((containing ?? {}) as Record<string, string>);
  return (row) =>
    texts.every(
      ([field, text]) =>
        text === undefined || (row as Readonly<Record<string, string>>)[field]?.includes(text),
    );
};
