import { type Table, collections } from "@mgmt/engine/internal";

const sqlNames = new Map<string, string>();

/** Returns the name of a table or column: `serviceTokens` is `service_tokens`, and `domains.name` is `domains_name`. */
export const toSqlName = (name: string): string => {
  const existingName = sqlNames.get(name);
  if (existingName !== undefined) return existingName;
  const newName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(".", "_");
  sqlNames.set(name, newName);
  return newName;
};

/** Array fields. A lookup by such a field finds the rows whose array contains the value. */
const arrayFields: ReadonlySet<string> = new Set(
  Object.values<Table & { readonly sample: object }>(collections).flatMap(({ sample, indexes }) =>
    indexes
      .flat()
      .filter((field) => Array.isArray(Reflect.get(sample, field.replace(/\..*/, "")) as unknown)),
  ),
);

/** Returns whether the column of a field is a `jsonb` array instead of text. */
export const isArrayField = (field: string): boolean => arrayFields.has(field);
