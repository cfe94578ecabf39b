import type { Contract } from "./contract.js";
import { header } from "./sdk-names.js";

/** Generates the names of all fields that are `x-secret` in the contract. */
export const generateSecretFields = ({ document }: Contract): string => {
  const names = new Set<string>();
  collect(document, names);
  return `${header}
/** Fields whose values must not be printed. */
export const secretFields: ReadonlySet<string> = new Set(${JSON.stringify([...names].sort())});
`;
};

const collect = (node: unknown, names: Set<string>, name?: string): void => {
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === "x-secret" && value === true && name !== undefined) names.add(name);
    // Keys of `properties` are field names. Other keys belong to the schema of the current field.
    if (key === "properties" && typeof value === "object" && value !== null) {
      for (const [field, schema] of Object.entries(value)) collect(schema, names, field);
    } else collect(value, names, name);
  }
};
