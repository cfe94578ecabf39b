import type { MgmtClient } from "@mgmt/sdk";
import { managedResources } from "../generated/managed-resources.js";
import { valueAt } from "../json-path.js";
import { type ExistingEntry, keyOf } from "./entry.js";
import type { ManagedResource } from "./managed-resource.js";

/** What the service has. */
export interface State {
  /** The resources that have an identity, each after the one that contains it. */
  readonly entries: readonly ExistingEntry[];
  /** The resources that a manifest cannot name: without an identity, or outside of any container. */
  readonly unnamed: readonly UnnamedResource[];
}

export interface UnnamedResource {
  readonly resource: string;
  readonly id: string;
  /** Id of the container. Absent for a project. */
  readonly containerId?: string;
}

/** Reads the projects with the given keys, or all projects, and everything in them that a manifest can contain. */
export const readState = async (
  client: MgmtClient,
  projectKeys: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<State> => {
  const state = { entries: new Map<string, ExistingEntry>(), unnamed: [] as UnnamedResource[] };
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
          query: Object.fromEntries([["limit", "1000"], ...all.filter((each) => !isInPath(each))]),
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
      : projectKeys
        ? projectKeys.map((key) => list(resource, { [identity.property]: key }))
        : [list(resource, {})];
    for (const item of (await Promise.all(lists)).flat()) add(resource, item, state);
  }
  return { entries: [...state.entries.values()], unnamed: state.unnamed };
};

const add = (
  resource: ManagedResource,
  item: unknown,
  { entries, unnamed }: { entries: Map<string, ExistingEntry>; unnamed: UnnamedResource[] },
): void => {
  const { name, container, identity, parents, fields } = resource;
  const at = (property: string): unknown => valueAt(item, property.split("."));
  const id = String(at("id"));
  const key = at(identity.property);
  const parent = parents.find((each) => each.resource === container);
  const containerId = parent?.property === undefined ? undefined : at(parent.property);
  const holder = [...entries.values()].find(
    (entry) => entry.resource === container && entry.id === containerId,
  );
  if (typeof key !== "string" || (container !== undefined && !holder)) {
    unnamed.push({ resource: name, id, ...(typeof containerId === "string" && { containerId }) });
    return;
  }
  const values = fields.flatMap(({ input, property }): [string, unknown][] =>
    property === undefined ? [] : [[input, at(property)]],
  );
  const entry = {
    resource: name,
    path: [...(holder?.path ?? []), key],
    id,
    fields: Object.fromEntries(values),
  };
  entries.set(keyOf(entry), entry);
};
