/** Returns the name of a table or column: `serviceTokens` is `service_tokens`, and `domains.name` is `domains_name`. */
export const sqlName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(".", "_");

/** Fields of rows that are arrays, of which a lookup names one element. */
const arrayFields: ReadonlySet<string> = new Set(["memberIds", "domains.name"]);

/** Tells whether the column of a field has a `jsonb` array instead of a text. */
export const isArrayField = (field: string): boolean => arrayFields.has(field);
