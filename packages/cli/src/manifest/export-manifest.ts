import { managedResources } from "../generated/managed-resources.js";
import { isObject } from "../json-path.js";
import { type ExistingEntry, managedResource } from "./entry.js";
import type { State } from "./read-state.js";

/** Values that the service uses if a field is left out. */
const omitted = (value: unknown): boolean =>
  value === null || value === undefined || value === false || (isObject(value) && value["type"] === "empty");

/** Returns the manifest of what the service has. */
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
  const entry = entries.find((each) => each.id === id);
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
