import { managedResources } from "../contract/generated/managed-resources.js";
import { isObject } from "../json/json-path.js";
import { type ExistingEntry, managedResource } from "./entry.js";
import type { Identify, State } from "./read-state.js";

/** Values that the service uses if a field is left out. */
const omitted = (value: unknown): boolean =>
  value === null || value === undefined || value === false || (isObject(value) && value["type"] === "empty");

/** Returns the manifest of the resources of the service. */
export const exportManifest = ({ entries }: State): Record<string, unknown> => ({
  version: 1,
  ...collectionsIn(undefined, [], entries),
});

const collectionsIn = (
  container: string | undefined,
  path: readonly string[],
  entries: readonly ExistingEntry[],
): Record<string, unknown> => {
  const collections: Record<string, unknown> = {};
  for (const { name, collection } of managedResources) {
    if (managedResource(name).container !== container) continue;
    const inside = entries.filter(
      (entry) => entry.resource === name && path.every((key, index) => entry.path[index] === key),
    );
    if (inside.length === 0) continue;
    collections[collection] = Object.fromEntries(
      inside.map((entry) => [entry.path.at(-1) ?? "", contentOf(entry, entries)]),
    );
  }
  return collections;
};

const contentOf = (entry: ExistingEntry, entries: readonly ExistingEntry[]): Record<string, unknown> => ({
  ...(entry.isAdopted && { adopt: entry.id }),
  ...Object.fromEntries(
    Object.entries(entry.fields)
      .filter(([, value]) => !omitted(value))
      // A database that was restored from its own backup would refer to itself.
      .map(([name, value]) => [
        name,
        withReferences(
          value,
          entries.filter(({ id }) => id !== entry.id),
        ),
      ]),
  ),
  ...collectionsIn(entry.resource, entry.path, entries),
});

/** Replaces the ids of exported resources by references to their entries. */
const withReferences = (value: unknown, entries: readonly ExistingEntry[]): unknown => {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, referenceTo(inner, entries) ?? inner]),
  );
};

const referenceTo = (id: unknown, entries: readonly ExistingEntry[]): Record<string, string> | undefined => {
  const entry = entries.find((candidate) => candidate.id === id);
  if (!entry) return undefined;
  const kinds: string[] = [];
  for (
    let kind: string | undefined = entry.resource;
    kind !== undefined;
    kind = managedResource(kind).container
  ) {
    kinds.unshift(kind);
  }
  return Object.fromEntries(kinds.map((kind, index) => [kind, entry.path[index] ?? ""]));
};

/** Gives resources without a logical id keys that are like their names. */
export const identifyByName: Identify = ({ name: kind, container }, unnamed, entries) => {
  const keys = new Map<string, string>();
  const usedPaths = new Set(
    entries.filter(({ resource }) => resource === kind).map(({ path }) => JSON.stringify(path)),
  );
  for (const { id, name, containerId } of unnamed) {
    const holder = entries.find((entry) => entry.resource === container && entry.id === containerId);
    const pathOf = (key: string): string => JSON.stringify([...(holder?.path ?? []), key]);
    const wanted = keyLike(name ?? "") || kind;
    let key = wanted;
    for (let count = 2; usedPaths.has(pathOf(key)); count++) key = `${wanted}-${String(count)}`;
    usedPaths.add(pathOf(key));
    keys.set(id, key);
  }
  return keys;
};

/** Returns a name in the form of a logical id. */
const keyLike = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/^[._-]+|[._-]+$/g, "")
    .slice(0, 240);
