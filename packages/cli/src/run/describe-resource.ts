import { isNotAccessibleError } from "../errors/not-accessible.js";
import type { Call, MgmtClient } from "@mgmt/sdk";
import { getAtPath } from "../json/json-path.js";
import { toPrintable } from "../output/printable.js";
import { isKindName, type KindName, resourceKinds } from "../contract/kinds.js";
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
 * @param kind kind of resource, as a path argument names it.
 * @param pathParams all path parameters of the command.
 * @returns Only the id for a kind that cannot be read.
 * @throws `ApiError` if the resource does not exist or cannot be read.
 */
export const describeResource = async (
  kind: string | undefined,
  id: string,
  pathParams: Readonly<Record<string, string>>,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<ResourceDescription> => {
  if (!isKindName(kind)) return { noun: kind ?? "resource", id, name: undefined, contents: [] };
  const { noun, get, parents = [], contents = [] } = resourceKinds[kind];
  const request = async (call: Call): Promise<unknown> => client.request<unknown>(call, { signal });
  const parentIds = Object.fromEntries(parents.map((parent) => [parent.kind, pathParams[parent.parameter]]));
  const [body, ...lines] = await Promise.all([
    request(
      get === undefined ? createListCall(kind, parentIds) : { method: "GET", path: get, pathParams: { id } },
    ),
    ...contents.map(async (contentKind) =>
      summarizeContents(
        await request(createListCall(contentKind, { [kind]: id })).catch(ignoreNoAccess),
        contentKind,
      ),
    ),
  ]);
  const data = getAtPath(body, ["data"]);
  const resource: unknown =
    get === undefined && Array.isArray(data)
      ? data.find((candidate) => readResourceId(kind, candidate) === id)
      : data;
  return { noun, id, name: formatName(resource), contents: lines.filter((line) => line !== undefined) };
};

/** Resources that the credential may not read are not described. The resource itself decides whether it exists. */
const ignoreNoAccess = (error: unknown): undefined => {
  if (isNotAccessibleError(error)) return undefined;
  throw error;
};

const summarizeContents = (body: unknown, kind: KindName): string | undefined => {
  const resources = getAtPath(body, ["data"]);
  if (!Array.isArray(resources) || resources.length === 0) return undefined;
  const { noun, plural } = resourceKinds[kind];
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
