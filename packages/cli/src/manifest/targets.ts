import { ambiguousTargetError, unknownTargetError } from "../errors/manifest-errors.js";
import { findSimilar } from "../text/suggest.js";
import {
  type EntryAddress,
  requireAncestor,
  type ManifestEntry,
  toAddressKey,
  getManagedResource,
  formatAddress,
} from "./entry.js";
import { collectReferences } from "./references.js";
import type { ServiceState } from "./read-state.js";

/** The part of a manifest that `--target` selects. */
export interface TargetSelection {
  /** The entries that are selected, and those that they depend on, in the order of the manifest. */
  readonly entries: readonly ManifestEntry[];
  /** Whether a resource is selected itself, as one that is in the service only may be. */
  readonly includes: (address: EntryAddress) => boolean;
}

/**
 * Selects entries by their names: `shop/main/reports`, or `database shop/main/reports` where several resource types have the name. The entries
 * inside a selected entry are selected too.
 *
 * @throws `target:not_found` or `target:ambiguous`.
 */
export const selectTargets = (
  desiredEntries: readonly ManifestEntry[],
  state: Pick<ServiceState, "entries">,
  targets: readonly string[],
): TargetSelection => {
  const addressByKey = new Map<string, EntryAddress>(
    [...state.entries, ...desiredEntries].map((entry) => [toAddressKey(entry), entry]),
  );
  const chosenTargets = targets.map((target) => requireTarget(target, [...addressByKey.values()]));
  const isInTargets = (address: EntryAddress): boolean =>
    chosenTargets.some((target) => isWithin(address, target));
  const entryByKey = new Map(desiredEntries.map((entry) => [toAddressKey(entry), entry]));
  const neededKeys = new Set<string>();
  const addWithDependencies = (address: EntryAddress): void => {
    const key = toAddressKey(address);
    const entry = entryByKey.get(key);
    if (neededKeys.has(key) || !entry) return;
    neededKeys.add(key);
    for (const dependency of listDependencies(entry)) addWithDependencies(dependency);
  };
  desiredEntries.filter(isInTargets).forEach(addWithDependencies);
  return {
    entries: desiredEntries.filter((entry) => neededKeys.has(toAddressKey(entry))),
    includes: isInTargets,
  };
};

const requireTarget = (target: string, knownAddresses: readonly EntryAddress[]): EntryAddress => {
  const matches = knownAddresses.filter(
    (address) => formatAddress(address) === target || address.path.join("/") === target,
  );
  const [onlyMatch, ...otherMatches] = matches;
  if (onlyMatch === undefined)
    throw unknownTargetError(
      target,
      findSimilar(
        target,
        knownAddresses.map((address) => address.path.join("/")),
      ),
    );
  if (otherMatches.length > 0) throw ambiguousTargetError(target, matches.map(formatAddress));
  return onlyMatch;
};

const isWithin = (address: EntryAddress, target: EntryAddress): boolean =>
  listTypeAndContainers(address).includes(target.resource) &&
  target.path.every((key, index) => address.path[index] === key);

/** Returns the resource type of an address, and the types of its containers. */
const listTypeAndContainers = ({ resource }: EntryAddress): string[] => {
  const { container } = getManagedResource(resource);
  return container === undefined
    ? [resource]
    : [resource, ...listTypeAndContainers({ resource: container, path: [] })];
};

/** Returns the containers of an entry, and the entries that it refers to. */
const listDependencies = (entry: ManifestEntry): EntryAddress[] => {
  const { container } = getManagedResource(entry.resource);
  return [
    ...(container === undefined ? [] : [requireAncestor(entry, container)]),
    ...collectReferences(entry.fields, entry),
  ];
};
