import type { MgmtClient } from "@mgmt/sdk";
import { managedResources } from "../contract/generated/managed-resources.js";
import { valueAt } from "../json/json-path.js";
import { type ExistingEntry, keyOf } from "./entry.js";
import type { ManagedResource } from "../contract/managed-resource.js";

/** The resources of the service. */
export interface State {
  /** The resources that have an identity, each after the one that contains it. */
  readonly entries: readonly ExistingEntry[];
  /** The resources that a manifest cannot name: without an identity, or outside of any container. */
  readonly unnamed: readonly UnnamedResource[];
}

export interface UnnamedResource {
  readonly resource: string;
  readonly id: string;
  readonly name: string | null;
  /** Id of the container. Absent for a project. */
  readonly containerId?: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns the keys of resources of a kind that have no identity, by their ids. Those that are left out stay unnamed. */
export type Identify = (
  resource: ManagedResource,
  unnamed: readonly UnnamedResource[],
  entries: readonly ExistingEntry[],
) => ReadonlyMap<string, string>;

export interface StateOptions {
  /** Keys of the projects to read. Default: all. */
  readonly projects?: readonly string[] | undefined;
  /** Ids of the projects to read. Default: all. */
  readonly ids?: readonly string[] | undefined;
  readonly identify?: Identify | undefined;
}

interface Reading {
  readonly entries: Map<string, ExistingEntry>;
  readonly unnamed: Map<string, UnnamedResource>;
}

/** Reads projects, and everything in them that a manifest can contain. */
export const readState = async (
  client: MgmtClient,
  { projects, ids, identify }: StateOptions,
  signal: AbortSignal,
): Promise<State> => {
  const state: Reading = { entries: new Map(), unnamed: new Map() };
  const list = (resource: ManagedResource, parameters: Record<string, string>): Promise<unknown[]> => {
    const { path, parameters: inPath } = resource.list;
    const isInPath = ([name]: [string, string]): boolean => inPath.includes(name);
    const all = Object.entries(parameters);
    return client
      .requestPages(
        {
          method: "GET",
          path,
          pathParams: Object.fromEntries(all.filter(isInPath)),
          query: Object.fromEntries([["limit", "1000"], ...all.filter((parameter) => !isInPath(parameter))]),
        },
        { signal },
      )
      .toArray();
  };
  for (const resource of managedResources) {
    const { parents, identity } = resource;
    // Everything below a project is listed by project.
    const [root] = parents;
    const owners = root && [...state.entries.values()].filter((entry) => entry.resource === root.resource);
    const lists = owners
      ? owners.map(({ id }) => list(resource, { [root?.input ?? ""]: id }))
      : projects && !identify
        ? projects.map((key) => list(resource, { [identity.property]: key }))
        : [list(resource, {})];
    for (const item of (await Promise.all(lists)).flat()) add(resource, item, state);
    if (identify) identifyIn(state, resource, identify);
    if (!owners && (projects ?? ids)) {
      keepOnly(({ id, path: [key = ""] }) => projects?.includes(key) ?? ids?.includes(id) ?? true, state);
    }
  }
  return { entries: [...state.entries.values()], unnamed: [...state.unnamed.values()] };
};

const identifyIn = ({ entries, unnamed }: Reading, resource: ManagedResource, identify: Identify): void => {
  const candidates = [...unnamed.values()].filter(
    (unnamedResource) => unnamedResource.resource === resource.name,
  );
  for (const [id, key] of identify(resource, candidates, [...entries.values()])) {
    const unnamedResource = unnamed.get(id);
    const holder = [...entries.values()].find((entry) => entry.id === unnamedResource?.containerId);
    if (!unnamedResource || (resource.container !== undefined && !holder)) continue;
    const path = [...(holder?.path ?? []), key];
    const entry = {
      resource: resource.name,
      path,
      id,
      fields: unnamedResource.fields,
      isAdopted: true,
    } as const;
    entries.set(keyOf(entry), entry);
    unnamed.delete(id);
  }
};

const keepOnly = (isWanted: (project: ExistingEntry) => boolean, { entries, unnamed }: Reading): void => {
  for (const [key, entry] of entries) if (!isWanted(entry)) entries.delete(key);
  unnamed.clear();
};

const add = (resource: ManagedResource, item: unknown, { entries, unnamed }: Reading): void => {
  const { name, container, identity, parents, fields } = resource;
  const at = (property: string): unknown => valueAt(item, property.split("."));
  const id = String(at("id"));
  const key = at(identity.property);
  const parent = parents.find((candidate) => candidate.resource === container);
  const containerId = parent?.property === undefined ? undefined : at(parent.property);
  const holder = [...entries.values()].find(
    (entry) => entry.resource === container && entry.id === containerId,
  );
  const values = fields.flatMap(({ input, property }): [string, unknown][] =>
    property === undefined ? [] : [[input, at(property)]],
  );
  const about = { resource: name, id, fields: Object.fromEntries(values) };
  if (typeof key !== "string" || (container !== undefined && !holder)) {
    const own = at("name") ?? at("displayName");
    unnamed.set(id, {
      ...about,
      name: typeof own === "string" ? own : null,
      ...(typeof containerId === "string" && { containerId }),
    });
    return;
  }
  const entry = { ...about, path: [...(holder?.path ?? []), key] };
  entries.set(keyOf(entry), entry);
};
