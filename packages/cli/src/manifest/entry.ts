import { managedResources } from "../contract/generated/managed-resources.js";
import type { ManagedResource } from "../contract/managed-resource.js";

/** Identifies an entry of a manifest. */
export interface EntryAddress {
  /** Resource type of the entry: `database`. */
  readonly resource: string;
  /** The keys of the entries that contain this one, the outermost first, and its own key: `["shop", "main", "reports"]`. */
  readonly path: readonly string[];
}

/** An entry of a manifest. */
export interface ManifestEntry extends EntryAddress {
  /** The fields of the request that creates the resource, without its logical id and the ids of its parents. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Id or name of an existing resource without a logical id, which `mgmt apply` gives the identity of this entry. */
  readonly adopt?: string;
}

/** A resource that exists in the service, with the address of its entry. */
export interface ExistingEntry extends ManifestEntry {
  readonly id: string;
  /** Whether it has no logical id of its own, and belongs to the entry because of its `adopt`. */
  readonly isAdopted?: true;
}

/** Returns a string that is the same for equal addresses, as a key of a map. */
export const toAddressKey = ({ resource, path }: EntryAddress): string => JSON.stringify([resource, ...path]);

/** Returns an address for messages: `database shop/main/reports`. */
export const formatAddress = ({ resource, path }: EntryAddress): string => `${resource} ${path.join("/")}`;

/**
 * Returns the description of a managed resource.
 *
 * @throws Error if there is none of this name.
 */
export const getManagedResource = (name: string): ManagedResource => {
  const resource = managedResources.find((candidate) => candidate.name === name);
  if (!resource) throw new Error(`${name} is not a managed resource`);
  return resource;
};

/**
 * Returns the address of the entry that contains another one, or of that entry itself.
 *
 * @param ancestor name of the managed resource of the container, such as `project` for the project that a database is in.
 * @throws Error if such entries are not inside of one of this resource.
 */
export const requireAncestor = ({ resource, path }: EntryAddress, ancestor: string): EntryAddress => {
  let address: EntryAddress = { resource, path };
  while (address.resource !== ancestor) {
    const { container } = getManagedResource(address.resource);
    if (container === undefined) throw new Error(`A ${resource} is not in a ${ancestor}`);
    address = { resource: container, path: address.path.slice(0, -1) };
  }
  return address;
};

/** Returns how many managed resources contain the one of this name, one inside of the other: 2 for `database`. */
export const countContainers = (name: string): number => {
  const { container } = getManagedResource(name);
  return container === undefined ? 0 : 1 + countContainers(container);
};
