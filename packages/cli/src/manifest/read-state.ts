import type { MgmtClient } from "@mgmt/sdk";
import { managedResources } from "../contract/generated/managed-resources.js";
import { getAtPath } from "../json/json-path.js";
import { type EntryAddress, type ExistingEntry, requireAncestor, toAddressKey } from "./entry.js";
import type { ManagedResource } from "../contract/managed-resource.js";

/** The resources of the service. */
export interface ServiceState {
  /** The resources that have an identity, each after its container. */
  readonly entries: readonly ExistingEntry[];
  /** The resources that a manifest cannot name: without an identity, outside of any container, or of a preview. */
  readonly unnamed: readonly UnnamedResource[];
}

/** A resource that no entry describes. */
export interface UnnamedResource {
  readonly resource: string;
  readonly id: string;
  readonly name: string | null;
  /** Id of the container. Absent for a project. */
  readonly containerId?: string;
  /** Whether it is the database of a preview, which `mgmt preview` creates and deletes. */
  readonly isPreview?: true;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns the keys of resources of a type that have no identity, by their ids. Those that are left out stay unnamed. */
export type IdentifyResources = (
  resource: ManagedResource,
  unnamed: readonly UnnamedResource[],
  entries: readonly ExistingEntry[],
) => ReadonlyMap<string, string>;

/** Whether an entry is the database of a preview on the branch with this id. */
export type IsPreview = (entry: ExistingEntry, branchId: string) => boolean;

export interface StateOptions {
  /** Keys of the projects to read. Default: all. */
  readonly projects?: readonly string[] | undefined;
  /** Ids of the projects to read. Default: all. */
  readonly ids?: readonly string[] | undefined;
  readonly identify?: IdentifyResources | undefined;
  /** Default: none is. */
  readonly isPreview?: IsPreview | undefined;
  /** Entries that a manifest or a plan has, so that they stay entries although they are of previews. Default: none. */
  readonly ownedEntries?: readonly EntryAddress[] | undefined;
}

interface StateInProgress {
  readonly entries: Map<string, ExistingEntry>;
  readonly unnamed: Map<string, UnnamedResource>;
}

/** Reads projects, and everything in them that a manifest can contain. */
export const readState = async (
  client: MgmtClient,
  { projects, ids, identify, isPreview, ownedEntries = [] }: StateOptions,
  signal: AbortSignal,
): Promise<ServiceState> => {
  const state: StateInProgress = { entries: new Map(), unnamed: new Map() };
  const listResources = (
    resource: ManagedResource,
    parameters: Record<string, string>,
  ): Promise<unknown[]> => {
    const { path, parameters: pathParameters } = resource.list;
    const isInPath = ([name]: [string, string]): boolean => pathParameters.includes(name);
    const parameterEntries = Object.entries(parameters);
    return client
      .requestPages(
        {
          method: "GET",
          path,
          pathParams: Object.fromEntries(parameterEntries.filter(isInPath)),
          query: Object.fromEntries([
            ["limit", "1000"],
            ...parameterEntries.filter((parameter) => !isInPath(parameter)),
          ]),
        },
        { signal },
      )
      .toArray();
  };
  for (const resource of managedResources) {
    const { parents, identity } = resource;
    // Everything below a project is listed by project.
    const [root] = parents;
    const rootEntries =
      root && [...state.entries.values()].filter((entry) => entry.resource === root.resource);
    const lists = rootEntries
      ? rootEntries.map(({ id }) => listResources(resource, { [root?.input ?? ""]: id }))
      : projects && !identify
        ? projects.map((key) => listResources(resource, { [identity.property]: key }))
        : [listResources(resource, {})];
    for (const listedResource of (await Promise.all(lists)).flat())
      addListedResource(resource, listedResource, state);
    if (identify) addIdentifiedEntries(state, resource, identify);
    if (!rootEntries && (projects ?? ids)) {
      removeOtherProjects(
        ({ id, path: [key = ""] }) => projects?.includes(key) ?? ids?.includes(id) ?? true,
        state,
      );
    }
  }
  if (isPreview) separatePreviews(state, isPreview, new Set(ownedEntries.map(toAddressKey)));
  return { entries: [...state.entries.values()], unnamed: [...state.unnamed.values()] };
};

/** Makes the databases of previews resources that no entry describes: a manifest does not own them. */
const separatePreviews = (
  { entries, unnamed }: StateInProgress,
  isPreview: IsPreview,
  ownedKeys: ReadonlySet<string>,
): void => {
  for (const [key, entry] of entries) {
    const { resource, path, id, fields } = entry;
    if (resource !== "database" || ownedKeys.has(key)) continue;
    const { id: branchId } = entries.get(toAddressKey(requireAncestor(entry, "branch"))) ?? {};
    if (branchId === undefined || !isPreview(entry, branchId)) continue;
    entries.delete(key);
    const name = path.at(-1) ?? null;
    unnamed.set(id, { resource, id, name, containerId: branchId, fields, isPreview: true });
  }
};

const addIdentifiedEntries = (
  { entries, unnamed }: StateInProgress,
  resource: ManagedResource,
  identify: IdentifyResources,
): void => {
  const candidates = [...unnamed.values()].filter(
    (unnamedResource) => unnamedResource.resource === resource.name,
  );
  for (const [id, key] of identify(resource, candidates, [...entries.values()])) {
    const unnamedResource = unnamed.get(id);
    const containerEntry = [...entries.values()].find((entry) => entry.id === unnamedResource?.containerId);
    if (!unnamedResource || (resource.container !== undefined && !containerEntry)) continue;
    const path = [...(containerEntry?.path ?? []), key];
    const entry = {
      resource: resource.name,
      path,
      id,
      fields: unnamedResource.fields,
      isAdopted: true,
    } as const;
    entries.set(toAddressKey(entry), entry);
    unnamed.delete(id);
  }
};

const removeOtherProjects = (
  shouldKeep: (project: ExistingEntry) => boolean,
  { entries }: StateInProgress,
): void => {
  for (const [key, entry] of entries) if (!shouldKeep(entry)) entries.delete(key);
};

const addListedResource = (
  resource: ManagedResource,
  listedResource: unknown,
  { entries, unnamed }: StateInProgress,
): void => {
  const { name, container, identity, parents, fields } = resource;
  const readProperty = (property: string): unknown => getAtPath(listedResource, property.split("."));
  const id = String(readProperty("id"));
  const key = readProperty(identity.property);
  const parent = parents.find((candidate) => candidate.resource === container);
  const containerId = parent?.property === undefined ? undefined : readProperty(parent.property);
  const containerEntry = [...entries.values()].find(
    (entry) => entry.resource === container && entry.id === containerId,
  );
  const values = fields.flatMap(({ input, property }): [string, unknown][] =>
    property === undefined ? [] : [[input, readProperty(property)]],
  );
  const commonFields = { resource: name, id, fields: Object.fromEntries(values) };
  if (typeof key !== "string" || (container !== undefined && !containerEntry)) {
    const itemName = readProperty("name") ?? readProperty("displayName");
    unnamed.set(id, {
      ...commonFields,
      name: typeof itemName === "string" ? itemName : null,
      ...(typeof containerId === "string" && { containerId }),
    });
    return;
  }
  const entry = { ...commonFields, path: [...(containerEntry?.path ?? []), key] };
  entries.set(toAddressKey(entry), entry);
};
