import { invalidManifest } from "../errors/manifest-errors.js";
import { managedResources } from "../contract/generated/managed-resources.js";
import { isObject } from "../json/json-path.js";
import { didYouMean } from "../text/suggest.js";
import { type Address, type Entry, keyOf, managedResource, nameOf } from "./entry.js";
import type { PlaceOf } from "./read-manifest.js";

/** An entry that another one refers to. */
export interface Reference extends Address {
  /** Names of the fields that lead to the reference. */
  readonly at: readonly string[];
}

/** Returns the entries that the fields of an entry refer to, such as `{ branch: main, database: reports }`. */
export const referencesIn = (value: unknown, from: Address, at: readonly string[] = []): Reference[] => {
  const reference = referenceOf(value, from);
  if (reference) return [{ ...reference, at }];
  return isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => referencesIn(inner, from, [...at, name]))
    : [];
};

/**
 * Refuses references to resources that neither the manifest nor the service has.
 *
 * @param known the entries of both.
 * @throws `manifest:invalid` with the place of each reference, and with the keys that are similar.
 */
export const assertReferences = (
  entries: readonly Entry[],
  known: readonly Address[],
  placeOf: PlaceOf,
): void => {
  const keys = new Set(known.map(keyOf));
  const problems = entries.flatMap((entry) =>
    referencesIn(entry.fields, entry)
      .filter((reference) => !keys.has(keyOf(reference)))
      .map((reference) => {
        const place = placeOf(entry, [...reference.at, reference.resource]);
        const others = known.filter((address) => keyOf(address) !== keyOf(entry));
        const meant = meantBy(reference, others).trim();
        return `${place}: ${nameOf(entry)}: there is no ${nameOf(reference)}${meant && `. ${meant}`}`;
      }),
  );
  if (problems.length > 0) throw invalidManifest(problems);
};

/** Returns a sentence with the keys beside a reference that are similar, or else with similar paths of its kind. */
const meantBy = ({ resource, path }: Address, known: readonly Address[]): string => {
  const paths = known.filter((address) => address.resource === resource).map((address) => address.path);
  const beside = paths.filter(
    (siblingPath) => siblingPath.slice(0, -1).join("/") === path.slice(0, -1).join("/"),
  );
  return (
    didYouMean(
      path.at(-1) ?? "",
      beside.map((names) => names.at(-1) ?? ""),
    ) ||
    didYouMean(
      path.join("/"),
      paths.map((names) => names.join("/")),
    )
  );
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
  for (let name: string | undefined = kind; name !== undefined; name = managedResource(name).container) {
    kinds.unshift(name);
  }
  const path = kinds.map((name, index) => {
    const key = value[name];
    return typeof key === "string" ? key : (from.path[index] ?? "");
  });
  return { resource: kind, path };
};
