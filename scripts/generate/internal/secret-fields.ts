import type { Contract } from "../contract/contract.js";
import { header } from "../sdk/names.js";

/**
 * The words of names of secrets that the contract does not list: services, proxies and users add fields of their own. Words
 * such as `dbpassword` count, but `passwordless`, `bypass` and `mapping` do not.
 */
const secretWords =
  /(?:^| )(?:[a-z0-9]*(?:password|passwd|passphrase|passcode|secret|token|credential|cookie|signature|apikey|privatekey|secretkey|accesskey)s?|(?:db|pg|my|user|admin|root|smtp|redis)?pass|[a-z]*pwd|pins?|otp|jwt|bearer|auth$|authorization|verifier|codeverifier|assertion|dsn|(?:pass|sign in|api|private|secret|access|master|encryption|signing) (?:word|phrase|code|key)s?|connection string|connectionstring|database url|env(?:ironment)? var(?:iable)?s?|envvars?)(?= |$)/;
/** The words of names that say something about a secret, and are not one. */
const harmlessWords =
  / (?:hint|type|ids?|expir(?:es|ed|y|ation)|at|in|ttl|name|kind|label|count|limit|length|size|endpoint|policy|file|path|format|version|status|enabled|required|algorithm|scheme|usage)$|^(?:max|min|num|total|remaining|used|has|is|can|with|expires|needs|requires) /;

/** Generates the names of all fields that are `x-secret` in the contract. */
export const generateSecretFields = ({ document }: Contract): string => `${header}
/** Fields whose values must not be printed. */
export const secretFields: ReadonlySet<string> = new Set(${JSON.stringify([...secretNames(document)])});
`;

/** Generates the tests of the names of fields, those of the contract and others. */
export const generateFieldNames = ({ document }: Contract): string => {
  const names = secretNames(document);
  const others = new Set<string>();
  collect(document, new Set(), others);
  return `${header}
import { secretFields } from "./secret-fields.js";

/** The other fields of the contract. */
const plainFields: ReadonlySet<string> = new Set(${JSON.stringify([...others].filter((name) => !names.has(name)).sort())});

const secretWords = ${String(secretWords)};
const harmlessWords = ${String(harmlessWords)};

/** Returns the words of a name in camel case, snake case or kebab case, also in full-width letters. */
const wordsOf = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();

/** Returns whether a field is no secret inside an object of secrets: the contract has it, or its name is one such as \`tokenId\`. */
export const isHarmlessField = (name: string): boolean =>
  plainFields.has(name) || (!secretFields.has(name) && harmlessWords.test(\` \${wordsOf(name)}\`));

/** Returns whether a name is that of a secret, wherever it is: \`password\`, but not \`value\`, which is one in the contract alone. */
export const hasSecretWords = (name: string): boolean => {
  const words = wordsOf(name);
  return secretWords.test(words) && !harmlessWords.test(words);
};

/** Returns whether a field's value must not be printed: the contract marks it, or its name is that of a secret. */
export const isSecretField = (name: string): boolean =>
  secretFields.has(name.normalize("NFKC")) || hasSecretWords(name);
`;
};

/** Returns the names of all fields that are `x-secret` in the contract. */
export const secretNames = (document: Contract["document"]): ReadonlySet<string> => {
  const names = new Set<string>();
  collect(document, names, new Set());
  return new Set([...names].sort());
};

const collect = (node: unknown, secrets: Set<string>, others: Set<string>, name?: string): void => {
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === "x-secret" && value === true && name !== undefined) secrets.add(name);
    // Keys of `properties` are field names. Other keys belong to the schema of the current field.
    if (key === "properties" && typeof value === "object" && value !== null) {
      for (const [field, schema] of Object.entries(value)) {
        others.add(field);
        collect(schema, secrets, others, field);
      }
    } else collect(value, secrets, others, name);
  }
};
