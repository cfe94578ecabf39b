import { isNotAccessibleError } from "../errors/not-accessible.js";
import type { Call, MgmtClient } from "@mgmt/sdk";
import { getAtPath } from "../json/json-path.js";
import { toPrintable } from "../output/printable.js";
import { isResourceType, type ResourceType, resourceTypes } from "../contract/resource-types.js";
import { readResourceId, createListCall, readResourceName } from "../contract/list-call.js";

/** The name of a resource and its contents, printable. */
export interface ResourceDescription {
  readonly noun: string;
  readonly id: string;
  readonly name: string | undefined;
  /** Such as `2 databases: main, reports`. */
  readonly contents: readonly string[];
}

const maxListedNames = 5;

/**
 * Reads a resource from the service, and its contents.
 *
 * @param resourceType the resource type, as a path argument names it.
 * @param pathParams all path parameters of the command.
 * @returns only the id for a resource type that cannot be read.
 * @throws `ApiError` if the resource does not exist or cannot be read.
 */
export const describeResource = async (
  resourceType: string | undefined,
  id: string,
  pathParams: Readonly<Record<string, string>>,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<ResourceDescription> => {
  if (!isResourceType(resourceType))
    return { noun: resourceType ?? "resource", id, name: undefined, contents: [] };
  const { noun, get, parents = [], contents = [] } = resourceTypes[resourceType];
  const request = async (call: Call): Promise<unknown> => client.request<unknown>(call, { signal });
  const parentIds = Object.fromEntries(
    parents.map((parent) => [parent.resourceType, pathParams[parent.parameter]]),
  );
  const [body, ...lines] = await Promise.all([
    request(
      get === undefined
        ? createListCall(resourceType, parentIds)
        : { method: "GET", path: get, pathParams: { id } },
    ),
    ...contents.map(async (contentType) =>
      summarizeContents(
        await request(createListCall(contentType, { [resourceType]: id })).catch(ignoreNoAccess),
        contentType,
      ),
    ),
  ]);
  const data = getAtPath(body, ["data"]);
  const resource: unknown =
    get === undefined && Array.isArray(data)
      ? data.find((candidate) => readResourceId(resourceType, candidate) === id)
      : data;
  return { noun, id, name: formatName(resource), contents: lines.filter((line) => line !== undefined) };
};

/** Resources that the credential may not read are not described. The resource itself decides whether it exists. */
const ignoreNoAccess = (error: unknown): undefined => {
  if (isNotAccessibleError(error)) return undefined;
  throw error;
};

const summarizeContents = (body: unknown, resourceType: ResourceType): string | undefined => {
  const resources = getAtPath(body, ["data"]);
  if (!Array.isArray(resources) || resources.length === 0) return undefined;
  const { noun, plural } = resourceTypes[resourceType];
  const hasMore = getAtPath(body, ["pagination", "hasMore"]) === true;
  const names = resources.slice(0, maxListedNames).flatMap((resource: unknown) => formatName(resource) ?? []);
  const namesSuffix =
    names.length === 0 ? "" : `: ${names.join(", ")}${resources.length > names.length ? ", …" : ""}`;
  return `${String(resources.length)}${hasMore ? "+" : ""} ${resources.length === 1 ? noun : plural}${namesSuffix}`;
};

const formatName = (resource: unknown): string | undefined => {
  const name = readResourceName(resource);
  return name === undefined ? undefined : toPrintable(name);
};
