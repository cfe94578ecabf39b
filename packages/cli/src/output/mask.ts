import { secretNames } from "../contract/generated/secret-names.js";

/** Printed instead of a secret. Its length does not depend on the secret's. */
export const secretMask = "********";

/** Returns a copy of a resource with the secrets at the paths masked. `*` stands for every item or value. Null stays null. */
export const maskSecrets = (value: unknown, paths: readonly string[]): unknown =>
  paths.reduce((maskedValue, path) => maskPath(maskedValue, path.split(".")), value);

const maskPath = (value: unknown, [name, ...remainingNames]: readonly string[]): unknown => {
  if (value === undefined || value === null) return value;
  if (name === undefined) return secretMask;
  if (typeof value !== "object") return value;
  if (Array.isArray(value))
    return name === "*" ? value.map((element) => maskPath(element, remainingNames)) : value;
  const entries = Object.entries(value).map(([key, propertyValue]): [string, unknown] => [
    key,
    name === "*" || name === key ? maskPath(propertyValue, remainingNames) : propertyValue,
  ]);
  return Object.fromEntries(entries);
};

/**
 * Returns a resource with every text in fields with the names of secrets masked, wherever they are: a newer service may return them where
 * the contract of this version has none. Returns the same value if there are none.
 */
export const maskNamedSecrets = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  return mapValues(value, (propertyValue, name) =>
    secretNames.has(name) ? maskStrings(propertyValue) : maskNamedSecrets(propertyValue),
  );
};

const maskStrings = (value: unknown): unknown => {
  if (typeof value === "string") return secretMask;
  return typeof value === "object" && value !== null ? mapValues(value, maskStrings) : value;
};

/** Returns an array or object with other values: a copy if a value differs, otherwise the same object, because long lists have many. */
const mapValues = (value: object, mapValue: (propertyValue: unknown, name: string) => unknown): unknown => {
  let copy: object | undefined;
  for (const name of Object.keys(value)) {
    const propertyValue: unknown = Reflect.get(value, name);
    const newValue = mapValue(propertyValue, name);
    if (newValue === propertyValue) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    Reflect.set(copy, name, newValue);
  }
  return copy ?? value;
};
