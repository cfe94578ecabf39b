import { managedResources } from "../contract/generated/managed-resources.js";
import type { ManagedResource } from "../contract/managed-resource.js";

/** Which resource an entry of a manifest is about. */
export interface EntryAddress {
  /** Name of the kind of resource: `database`. */
  readonly resource: string;
  /** The keys of the entry and of those that contain it, the outermost first. */
  readonly path: readonly string[];
}

/** An entry of a manifest. */
export interface ManifestEntry extends EntryAddress {
  /** Inputs of `create`, without the identity and the parents. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Id or name of a resource without a logical id that the entry describes. */
  readonly adopt?: string;
}

/** A resource of the service that has the identity of an entry. */
export interface ExistingEntry extends ManifestEntry {
  readonly id: string;
  /** Whether it has no identity of its own. */
  readonly isAdopted?: true;
}

/** A string that identifies an address, for maps. */
export const toAddressKey = ({ resource, path }: EntryAddress): string => JSON.stringify([resource, ...path]);

/** `database shop/main/reports` */
export const formatAddress = ({ resource, path }: EntryAddress): string => `${resource} ${path.join("/")}`;

export const getManagedResource = (name: string): ManagedResource => {
  const resource = managedResources.find((candidate) => candidate.name === name);
  if (!resource) throw new Error(`${name} is not a managed resource`);
  return resource;
};

/** Returns the address of the container of a kind: of the project that a database is in. */
export const requireAncestor = ({ resource, path }: EntryAddress, kind: string): EntryAddress => {
  let address: EntryAddress = { resource, path };
  while (address.resource !== kind) {
    const { container } = getManagedResource(address.resource);
    if (container === undefined) throw new Error(`A ${resource} is not in a ${kind}`);
    address = { resource: container, path: address.path.slice(0, -1) };
  }
  return address;
};

/** Returns the number of containers above a kind of resource. */
export const countContainers = (name: string): number => {
  const { container } = getManagedResource(name);
  return container === undefined ? 0 : 1 + countContainers(container);
};
