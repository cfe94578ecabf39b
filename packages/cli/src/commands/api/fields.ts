import { invalidValue, usageError } from "../../errors/usage-errors.js";
import type { Sources } from "../../input/sources.js";
import { isObject, setAt, valueAt } from "../../json/json-path.js";

/** A field of a request as it was typed. */
export interface TypedField {
  /** The key as it was typed: `source[type]`. */
  readonly key: string;
  readonly path: readonly string[];
  /** Whether the value is an item of a list. */
  readonly isItem: boolean;
  readonly text: string;
  readonly flag: "-f" | "-F";
}

/** Parses `key=value`. A key is a name with members in brackets: `source[type]`, `tags[]`. Throws a usage error. */
export const parseField = (typed: string, flag: TypedField["flag"]): TypedField => {
  const [, key = "", text = ""] = /^([^=]*)=([^]*)$/.exec(typed) ?? [];
  const [, name, members = "", item] = /^([^[\]]+)((?:\[[^[\]]+\])*)(\[\])?$/.exec(key) ?? [];
  const path = [name ?? "", ...[...members.matchAll(/\[([^\]]*)\]/g)].map(([, member = ""]) => member)];
  if (name === undefined || path.includes("__proto__")) {
    // The text is not repeated: it may be a secret.
    throw usageError(
      `${flag} needs a key and a value`,
      `Pass ${flag} key=value. A key is a name, such as region, source[type] or tags[].`,
    );
  }
  return { key, path, isItem: item !== undefined, text, flag };
};

/** Returns the value of a field: its text, or with `-F` a number, a boolean, null or the text of a file. */
export const fieldValue = async ({ flag, key, text }: TypedField, sources: Sources): Promise<unknown> => {
  if (flag === "-f") return text;
  if (text.startsWith("@")) return sources.read(text.slice(1), `-F ${key}`);
  if (["true", "false", "null"].includes(text)) return JSON.parse(text) as unknown;
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return text;
  const number = Number(text);
  const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isExact) return number;
  throw invalidValue(`-F ${key}`, "is too large for a number", `Pass -f ${key}=… to send it as text.`);
};

/** Returns an object with the values of fields. Throws a usage error for fields that contradict each other. */
export const objectOf = (
  fields: readonly (readonly [field: TypedField, value: unknown])[],
): Record<string, unknown> => {
  const object = {};
  for (const [{ key, path, isItem }, value] of fields) {
    const existing = valueAt(object, path);
    const parents = path.slice(1).map((_, index) => valueAt(object, path.slice(0, index + 1)));
    const isInObjects = parents.every((parent) => parent === undefined || isObject(parent));
    if (!isInObjects || (existing !== undefined && !(isItem && Array.isArray(existing)))) {
      throw usageError(
        `The field ${key} contradicts an earlier field`,
        "Pass each field once. tags[]=a tags[]=b is a list of two.",
      );
    }
    const items: unknown[] = Array.isArray(existing) ? existing : [];
    setAt(object, path, isItem ? [...items, value] : value);
  }
  return object;
};
