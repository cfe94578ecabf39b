import type { Contract } from "./contract.js";
import { header } from "./sdk-names.js";

/** Names of secrets that the contract does not list: services, proxies and users add fields of their own. */
const secretName =
  /^(?!.*(?:hint|type|ids?|expires\w*)$).*(?:pass(?:word|wd|phrase)?|pwd|secret|token|credential|authorization|cookie|api[-_]?key|private[-_]?key|signature|env(?:ironment)?[-_]?var(?:iable)?s?)/i;
/** Matches `pin`, `userPin` and `PIN_CODE`, but not `ping` or `mapping`. */
const pinName = /(?:^|[^A-Za-z])(?:pin|Pin|PIN)s?(?![a-z])|[a-z0-9]Pins?(?![a-z])/;

/** Generates the names of all fields that are `x-secret` in the contract, and the test of other fields' names. */
export const generateSecretFields = ({ document }: Contract): string => {
  const names = new Set<string>();
  collect(document, names);
  return `${header}
/** Fields whose values must not be printed. */
export const secretFields: ReadonlySet<string> = new Set(${JSON.stringify([...names].sort())});

const secretName = ${String(secretName)};
const pinName = ${String(pinName)};

/** Returns whether a field's value must not be printed: the contract marks it, or its name is that of a secret. */
export const isSecretField = (name: string): boolean =>
  secretFields.has(name) || secretName.test(name) || pinName.test(name);
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
