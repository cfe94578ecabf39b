import type { Call, MgmtClient } from "@mgmt/sdk";
import { valueAt } from "../json/json-path.js";
import { printable } from "../output/printable.js";
import { isKindName, type KindName, kinds } from "../contract/kinds.js";
import { idOfItem, listCall, nameOfItem } from "../contract/list.js";
import { ApiError } from "../sdk/sdk.js";

/** The name of a resource and its contents, printable. */
export interface Described {
  readonly noun: string;
  readonly id: string;
  readonly name: string | undefined;
  /** Such as `2 databases: main, reports`. */
  readonly contents: readonly string[];
}

const shownNames = 5;

/**
 * Reads a resource from the service, and its contents.
 *
 * @param kind Kind of resource, as a path argument names it.
 * @param pathParams All path parameters of the command.
 * @returns Only the id for a kind that cannot be read.
 * @throws `ApiError` if the resource does not exist or cannot be read.
 */
export const lookUp = async (
  kind: string | undefined,
  id: string,
  pathParams: Readonly<Record<string, string>>,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Described> => {
  if (!isKindName(kind)) return { noun: kind ?? "resource", id, name: undefined, contents: [] };
  const { noun, get, parents = [], contents = [] } = kinds[kind];
  const read = async (call: Call): Promise<unknown> => client.request<unknown>(call, { signal });
  const inPath = Object.fromEntries(parents.map((parent) => [parent.kind, pathParams[parent.parameter]]));
  const [body, ...lines] = await Promise.all([
    read(get === undefined ? listCall(kind, inPath) : { method: "GET", path: get, pathParams: { id } }),
    ...contents.map(async (inside) =>
      counted(await read(listCall(inside, { [kind]: id })).catch(withoutAccess), inside),
    ),
  ]);
  const data = valueAt(body, ["data"]);
  const item: unknown =
    get === undefined && Array.isArray(data)
      ? data.find((candidate) => idOfItem(kind, candidate) === id)
      : data;
  return { noun, id, name: printableName(item), contents: lines.filter((line) => line !== undefined) };
};

/** Resources that the credential may not read are not described. The resource itself decides whether it exists. */
const withoutAccess = (error: unknown): undefined => {
  if (error instanceof ApiError && [403, 404, 422].includes(error.status)) return undefined;
  throw error;
};

const counted = (body: unknown, kind: KindName): string | undefined => {
  const items = valueAt(body, ["data"]);
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const { noun, plural } = kinds[kind];
  const more = valueAt(body, ["pagination", "hasMore"]) === true;
  const names = items.slice(0, shownNames).flatMap((item: unknown) => printableName(item) ?? []);
  const list = names.length === 0 ? "" : `: ${names.join(", ")}${items.length > names.length ? ", …" : ""}`;
  return `${String(items.length)}${more ? "+" : ""} ${items.length === 1 ? noun : plural}${list}`;
};

const printableName = (item: unknown): string | undefined => {
  const name = nameOfItem(item);
  return name === undefined ? undefined : printable(name);
};
