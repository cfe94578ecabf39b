import { invalidManifestError } from "../errors/manifest-errors.js";
import { managedResources } from "../contract/generated/managed-resources.js";
import { isObject } from "../json/json-path.js";
import { formatSuggestion } from "../text/suggest.js";
import {
  type EntryAddress,
  type ManifestEntry,
  toAddressKey,
  getManagedResource,
  formatAddress,
} from "./entry.js";
import type { LocateEntry } from "./read-manifest.js";

/** An entry that another one refers to. */
export interface EntryReference extends EntryAddress {
  /** Path of field names to the reference. */
  readonly fieldPath: readonly string[];
}

/** Returns the entries that the fields of an entry refer to, such as `{ branch: main, database: reports }`. */
export const collectReferences = (
  value: unknown,
  referrer: EntryAddress,
  fieldPath: readonly string[] = [],
): EntryReference[] => {
  const reference = parseReference(value, referrer);
  if (reference) return [{ ...reference, fieldPath }];
  return isObject(value)
    ? Object.entries(value).flatMap(([name, propertyValue]) =>
        collectReferences(propertyValue, referrer, [...fieldPath, name]),
      )
    : [];
};

/**
 * Rejects references to resources that neither the manifest nor the service has.
 *
 * @param knownAddresses the entries of both.
 * @throws `manifest:invalid` with the location of each reference, and with the keys that are similar.
 */
export const assertReferences = (
  entries: readonly ManifestEntry[],
  knownAddresses: readonly EntryAddress[],
  locateEntry: LocateEntry,
): void => {
  const keys = new Set(knownAddresses.map(toAddressKey));
  const problems = entries.flatMap((entry) =>
    collectReferences(entry.fields, entry)
      .filter((reference) => !keys.has(toAddressKey(reference)))
      .map((reference) => {
        const location = locateEntry(entry, [...reference.fieldPath, reference.resource]);
        const otherAddresses = knownAddresses.filter(
          (address) => toAddressKey(address) !== toAddressKey(entry),
        );
        const suggestion = suggestKeys(reference, otherAddresses).trim();
        return `${location}: ${formatAddress(entry)}: there is no ${formatAddress(reference)}${suggestion && `. ${suggestion}`}`;
      }),
  );
  if (problems.length > 0) throw invalidManifestError(problems);
};

/** Returns a sentence with the keys beside a reference that are similar, or else with similar paths of its resource type. */
const suggestKeys = ({ resource, path }: EntryAddress, knownAddresses: readonly EntryAddress[]): string => {
  const paths = knownAddresses
    .filter((address) => address.resource === resource)
    .map((address) => address.path);
  const siblingPaths = paths.filter(
    (siblingPath) => siblingPath.slice(0, -1).join("/") === path.slice(0, -1).join("/"),
  );
  return (
    formatSuggestion(
      path.at(-1) ?? "",
      siblingPaths.map((names) => names.at(-1) ?? ""),
    ) ||
    formatSuggestion(
      path.join("/"),
      paths.map((names) => names.join("/")),
    )
  );
};

/** Returns the value with every reference replaced by an id. */
export const replaceReferences = (
  value: unknown,
  referrer: EntryAddress,
  getId: (address: EntryAddress) => string,
): unknown => {
  const reference = parseReference(value, referrer);
  if (reference) return getId(reference);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, propertyValue]) => [
      name,
      replaceReferences(propertyValue, referrer, getId),
    ]),
  );
};

const parseReference = (value: unknown, referrer: EntryAddress): EntryAddress | undefined => {
  if (!isObject(value)) return undefined;
  const names = Object.keys(value);
  // The innermost resource type that is named counts.
  const resourceType = [...managedResources].reverse().find(({ name }) => names.includes(name))?.name;
  if (resourceType === undefined) return undefined;
  const resourceTypes: string[] = [];
  for (
    let name: string | undefined = resourceType;
    name !== undefined;
    name = getManagedResource(name).container
  ) {
    resourceTypes.unshift(name);
  }
  const path = resourceTypes.map((name, index) => {
    const key = value[name];
    return typeof key === "string" ? key : (referrer.path[index] ?? "");
  });
  return { resource: resourceType, path };
};
