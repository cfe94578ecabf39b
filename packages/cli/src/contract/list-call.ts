import type { Call } from "@mgmt/sdk";
import { isObject, getAtPath } from "../json/json-path.js";
import { type ResourceType, resourceTypes } from "./resource-types.js";

/** Ids by resource type: `{ project: "proj_…" }`. */
export type IdsByType = Readonly<Partial<Record<ResourceType, string>>>;

/** The largest page that the service returns. */
export const maxPageSize = 1_000;

/**
 * Returns the call of the list of a resource type.
 *
 * @param parents resources that contain others. The list is limited to what is in them, as far as its operation allows.
 */
export const createListCall = (
  resourceType: ResourceType,
  parents: IdsByType,
  limit = maxPageSize,
): Call & { readonly method: "GET" } => {
  const { list, parents: listParents = [] } = resourceTypes[resourceType];
  const parameters = listParents.flatMap(({ resourceType: parent, parameter }): [string, string][] => {
    const id = parents[parent];
    return id === undefined ? [] : [[parameter, id]];
  });
  const isInPath = ([parameter]: [string, string]): boolean => list.includes(`{${parameter}}`);
  return {
    method: "GET",
    path: list,
    pathParams: Object.fromEntries(parameters.filter(isInPath)),
    query: { ...Object.fromEntries(parameters.filter((parameter) => !isInPath(parameter))), limit },
  };
};

/** Returns the id of an item of the list of a resource type. */
export const readResourceId = (resourceType: ResourceType, resource: unknown): string | undefined => {
  const id = getAtPath(resource, resourceTypes[resourceType].id ?? ["id"]);
  return typeof id === "string" ? id : undefined;
};

/** Returns the display name of a resource. */
export const readResourceName = (resource: unknown): string | undefined => {
  if (!isObject(resource)) return undefined;
  const name =
    resource["name"] ??
    resource["displayName"] ??
    resource["gitName"] ??
    getAtPath(resource, ["client", "name"]);
  return typeof name === "string" && name !== "" ? name : undefined;
};
