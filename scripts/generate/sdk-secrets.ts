import type { Contract } from "./contract.js";
import { header } from "./sdk-names.js";

/** Names of all fields that the contract calls secret. */
export const generateSecretFields = ({ document }: Contract): string => {
  const names = new Set<string>();
  collect(document, names);
  return `${header}
/** Fields whose values no print may show. */
export const secretFields: ReadonlySet<string> = new Set(${JSON.stringify([...names].sort())});
`;
};

const collect = (node: unknown, names: Set<string>, name?: string): void => {
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === "x-secret" && value === true && name !== undefined) names.add(name);
    // Inside of `properties`, keys are names of fields; elsewhere they belong to the schema that has the name.
    if (key === "properties" && typeof value === "object" && value !== null) {
      for (const [field, schema] of Object.entries(value)) collect(schema, names, field);
    } else collect(value, names, name);
  }
};
