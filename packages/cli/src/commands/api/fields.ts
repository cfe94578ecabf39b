import { invalidValueError, usageError } from "../../errors/usage-errors.js";
import type { InputSources } from "../../input/sources.js";
import { isObject, setAtPath, getAtPath } from "../../json/json-path.js";

/** A field of a request as it was typed. */
export interface FieldArgument {
  /** The key as it was typed: `source[type]`. */
  readonly key: string;
  readonly path: readonly string[];
  /** Whether the value is an item of a list. */
  readonly isItem: boolean;
  readonly text: string;
  readonly flag: "-f" | "-F";
}

/** Parses `key=value`. A key is a name with members in brackets: `source[type]`, `tags[]`. Throws a usage error. */
export const parseField = (argument: string, flag: FieldArgument["flag"]): FieldArgument => {
  const [, key = "", text = ""] = /^([^=]*)=([^]*)$/.exec(argument) ?? [];
  const [, name, members = "", listSuffix] = /^([^[\]]+)((?:\[[^[\]]+\])*)(\[\])?$/.exec(key) ?? [];
  const fieldPath = [name ?? "", ...[...members.matchAll(/\[([^\]]*)\]/g)].map(([, member = ""]) => member)];
  if (name === undefined || fieldPath.includes("__proto__")) {
    // The text is not repeated: it may be a secret.
    throw usageError(
      `${flag} needs a key and a value`,
      `Pass ${flag} key=value. A key is a name, such as region, source[type] or tags[].`,
    );
  }
  return { key, path: fieldPath, isItem: listSuffix !== undefined, text, flag };
};

/** Returns the value of a field: its text, or with `-F` a number, a boolean, null or the text of a file. */
export const readFieldValue = async (
  { flag, key, text }: FieldArgument,
  sources: InputSources,
): Promise<unknown> => {
  if (flag === "-f") return text;
  if (text.startsWith("@")) return sources.read(text.slice(1), `-F ${key}`);
  if (["true", "false", "null"].includes(text)) return JSON.parse(text) as unknown;
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return text;
  const number = Number(text);
  const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isExact) return number;
  throw invalidValueError(`-F ${key}`, "is too large for a number", `Pass -f ${key}=… to send it as text.`);
};

/** Returns an object with the values of fields. Throws a usage error for fields that contradict each other. */
export const buildObject = (
  fields: readonly (readonly [field: FieldArgument, value: unknown])[],
): Record<string, unknown> => {
  const object = {};
  for (const [{ key, path: fieldPath, isItem }, value] of fields) {
    const existingValue = getAtPath(object, fieldPath);
    const parents = fieldPath.slice(1).map((_, index) => getAtPath(object, fieldPath.slice(0, index + 1)));
    const hasObjectParents = parents.every((parent) => parent === undefined || isObject(parent));
    if (!hasObjectParents || (existingValue !== undefined && !(isItem && Array.isArray(existingValue)))) {
      throw usageError(
        `The field ${key} contradicts an earlier field`,
        "Pass each field once. tags[]=a tags[]=b is a list of two.",
      );
    }
    const items: unknown[] = Array.isArray(existingValue) ? existingValue : [];
    setAtPath(object, fieldPath, isItem ? [...items, value] : value);
  }
  return object;
};
