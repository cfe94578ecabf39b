import type { Call } from "@mgmt/sdk";
import { isObject, getAtPath } from "../json/json-path.js";
import { type KindName, resourceKinds } from "./kinds.js";

/** Ids by kind of resource: `{ project: "proj_…" }`. */
export type IdsByKind = Readonly<Partial<Record<KindName, string>>>;

/** The largest page that the service returns. */
export const maxPageSize = 1_000;

/**
 * Returns the call of the list of a kind.
 *
 * @param parents resources that contain others. The list is limited to what is in them, as far as its operation allows.
 */
export const createListCall = (
  kind: KindName,
  parents: IdsByKind,
  limit = maxPageSize,
): Call & { readonly method: "GET" } => {
  const { list, parents: listParents = [] } = resourceKinds[kind];
  const parameters = listParents.flatMap(({ kind: parent, parameter }): [string, string][] => {
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

/** Returns the id of an item of the list of a kind. */
export const readResourceId = (kind: KindName, resource: unknown): string | undefined => {
  const id = getAtPath(resource, resourceKinds[kind].id ?? ["id"]);
  return typeof id === "string" ? id : undefined;
};

/** Returns the name that people know a resource by. */
export const readResourceName = (resource: unknown): string | undefined => {
  if (!isObject(resource)) return undefined;
  const name =
    resource["name"] ??
    resource["displayName"] ??
    resource["gitName"] ??
    getAtPath(resource, ["client", "name"]);
  return typeof name === "string" && name !== "" ? name : undefined;
};
