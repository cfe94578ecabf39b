import type { ApiError } from "../errors/api-error.js";
import type { CursorPages } from "../request/paging.js";
import type { Call, RequestOptions } from "../request/call.js";
import type { Ensurable, Identity, Parent } from "./ensurable.js";

/** The calls that finding a resource needs. */
export interface Readers {
  list: <T>(call: Call, options: RequestOptions) => CursorPages<T>;
  get: <T>(call: Call, options: RequestOptions) => Promise<T>;
}

/** Path parameters and body fields of `create`. */
export type Inputs = Readonly<Record<string, unknown>>;

/**
 * Finds the resource with the identity. Returns undefined if it does not exist. Throws `conflict` if it is about another
 * identity of another resource, which no retry resolves.
 */
export const findExisting = async <Found>(
  { list, get, parents }: Ensurable,
  identity: Identity,
  inputs: Inputs,
  readers: Readers,
  options: RequestOptions,
  conflict: ApiError | undefined,
): Promise<Found | undefined> => {
  const fields = conflict && identity.conflicts[conflict.code];
  const common = fields?.property && valueOf(conflict, fields.property);
  const existingId = fields?.id && valueOf(conflict, fields.id);
  if (identity.filter === undefined && get !== undefined && typeof existingId === "string") {
    return readers.get<Found>(getCall(get, existingId), options);
  }
  const query: Record<string, unknown> = {};
  for (const parent of parents) {
    const id = await parentId(parent, inputs, readers, options);
    if (id !== undefined) query[parent.input] = id;
    else if (parent.required || parent.lookup) return undefined;
  }
  const value = inputs[identity.input];
  if (identity.filter === undefined) {
    for await (const item of readers.list<Found>(listCall(list, query, query), options)) {
      if (valueOf(item, identity.property) === value) return item;
    }
    return undefined;
  }
  const filtered = listCall(list, query, { ...query, [identity.filter]: value });
  // The first page may be empty and still have a next one.
  const [existing] = await readers.list<Found>(filtered, options).toArray({ limit: 1 });
  const isOther = common !== undefined && common !== identity.property;
  if (conflict && existing === undefined && isOther) throw conflict;
  return existing;
};

/** Returns the id of the parent that `create` uses, undefined if it does not exist. */
const parentId = async (
  { input, none, lookup }: Parent,
  inputs: Inputs,
  readers: Readers,
  options: RequestOptions,
): Promise<unknown> => {
  const value = inputs[input];
  const identity = lookup?.input === undefined ? undefined : inputs[lookup.input];
  if (value === null || identity === null) return none;
  if (value !== undefined || lookup === undefined) return value;
  for await (const parent of readers.list<{ id: string }>(listCall(lookup.list, inputs, {}), options)) {
    const matches =
      identity === undefined || lookup.property === undefined
        ? valueOf(parent, lookup.default) === true
        : valueOf(parent, lookup.property) === identity;
    if (matches) return parent.id;
  }
  return undefined;
};

/** Builds the call of a list from values for its path and for its query, which may contain those for the path. */
const listCall = (path: string, values: Inputs, query: Inputs): Call => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    method: "GET",
    path,
    pathParams: Object.fromEntries(names.map((name) => [name, String(values[name])])),
    query: Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name))),
  };
};

const getCall = (path: string, id: string): Call => {
  const name = /\{(\w+)\}$/.exec(path)?.[1] ?? "";
  return { method: "GET", path, pathParams: { [name]: id } };
};

const valueOf = (holder: unknown, name: string): unknown =>
  typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined;
