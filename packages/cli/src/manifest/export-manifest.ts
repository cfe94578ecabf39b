import { managedResources } from "../contract/generated/managed-resources.js";
import { isObject } from "../json/json-path.js";
import { type ExistingEntry, getManagedResource } from "./entry.js";
import type { IdentifyResources, ServiceState } from "./read-state.js";

/** Values that the service uses if a field is left out. */
const isOmitted = (value: unknown): boolean =>
  value === null || value === undefined || value === false || (isObject(value) && value["type"] === "empty");

/** Returns the manifest of the resources of the service. */
export const exportManifest = ({ entries }: ServiceState): Record<string, unknown> => ({
  version: 1,
  ...buildCollections(undefined, [], entries),
});

const buildCollections = (
  container: string | undefined,
  path: readonly string[],
  entries: readonly ExistingEntry[],
): Record<string, unknown> => {
  const collections: Record<string, unknown> = {};
  for (const { name, collection } of managedResources) {
    if (getManagedResource(name).container !== container) continue;
    const collectionEntries = entries.filter(
      (entry) => entry.resource === name && path.every((key, index) => entry.path[index] === key),
    );
    if (collectionEntries.length === 0) continue;
    collections[collection] = Object.fromEntries(
      collectionEntries.map((entry) => [entry.path.at(-1) ?? "", buildEntryContent(entry, entries)]),
    );
  }
  return collections;
};

const buildEntryContent = (
  entry: ExistingEntry,
  entries: readonly ExistingEntry[],
): Record<string, unknown> => ({
  ...(entry.isAdopted && { adopt: entry.id }),
  ...Object.fromEntries(
    Object.entries(entry.fields)
      .filter(([, value]) => !isOmitted(value))
      // A database that was restored from its own backup would refer to itself.
      .map(([name, value]) => [
        name,
        replaceIdsByReferences(
          value,
          entries.filter(({ id }) => id !== entry.id),
        ),
      ]),
  ),
  ...buildCollections(entry.resource, entry.path, entries),
});

/** Replaces the ids of exported resources by references to their entries. */
const replaceIdsByReferences = (value: unknown, entries: readonly ExistingEntry[]): unknown => {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, propertyValue]) => [
      name,
      findReferenceTo(propertyValue, entries) ?? propertyValue,
    ]),
  );
};

const findReferenceTo = (
  id: unknown,
  entries: readonly ExistingEntry[],
): Record<string, string> | undefined => {
  const entry = entries.find((candidate) => candidate.id === id);
  if (!entry) return undefined;
  const resourceTypes: string[] = [];
  for (
    let resourceType: string | undefined = entry.resource;
    resourceType !== undefined;
    resourceType = getManagedResource(resourceType).container
  ) {
    resourceTypes.unshift(resourceType);
  }
  return Object.fromEntries(
    resourceTypes.map((resourceType, index) => [resourceType, entry.path[index] ?? ""]),
  );
};

/** Gives resources without a logical id keys that are like their names. */
export const identifyByName: IdentifyResources = (
  { name: resourceType, container },
  unnamedResources,
  entries,
) => {
  const keys = new Map<string, string>();
  const usedPaths = new Set(
    entries.filter(({ resource }) => resource === resourceType).map(({ path }) => JSON.stringify(path)),
  );
  for (const { id, name, containerId } of unnamedResources) {
    const containerEntry = entries.find((entry) => entry.resource === container && entry.id === containerId);
    const buildPathKey = (key: string): string => JSON.stringify([...(containerEntry?.path ?? []), key]);
    const baseKey = toLogicalId(name ?? "") || resourceType;
    let key = baseKey;
    for (let suffix = 2; usedPaths.has(buildPathKey(key)); suffix++) key = `${baseKey}-${String(suffix)}`;
    usedPaths.add(buildPathKey(key));
    keys.set(id, key);
  }
  return keys;
};

/** Returns a name in the form of a logical id. */
const toLogicalId = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/^[._-]+|[._-]+$/g, "")
    .slice(0, 240);
