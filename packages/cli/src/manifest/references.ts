import { managedResources } from "../generated/managed-resources.js";
import { isObject } from "../json-path.js";
import { type Address, managedResource } from "./entry.js";

/** Returns the entries that the fields of an entry refer to, such as `{ branch: main, database: reports }`. */
export const referencesIn = (value: unknown, from: Address): Address[] => {
  const reference = referenceOf(value, from);
  if (reference) return [reference];
  return isObject(value) ? Object.values(value).flatMap((inner) => referencesIn(inner, from)) : [];
};

/** Returns the value with every reference replaced by an id. */
export const withIds = (value: unknown, from: Address, idOf: (address: Address) => string): unknown => {
  const reference = referenceOf(value, from);
  if (reference) return idOf(reference);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withIds(inner, from, idOf)]));
};

const referenceOf = (value: unknown, from: Address): Address | undefined => {
  if (!isObject(value)) return undefined;
  const names = Object.keys(value);
  // The innermost kind that is named is the one that is meant.
  const kind = [...managedResources].reverse().find(({ name }) => names.includes(name))?.name;
  if (kind === undefined) return undefined;
  const kinds: string[] = [];
  for (let each: string | undefined = kind; each !== undefined; each = managedResource(each).container) {
    kinds.unshift(each);
  }
  const path = kinds.map((name, index) => {
    const key = value[name];
    return typeof key === "string" ? key : (from.path[index] ?? "");
  });
  return { resource: kind, path };
};
