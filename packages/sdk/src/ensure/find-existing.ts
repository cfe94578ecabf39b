import type { ApiError } from "../errors/api-error.js";
import type { CursorPages } from "../request/paging.js";
import type { Call, RequestOptions } from "../request/call.js";
import type { Ensurable, IdentityRule, ParentRule } from "./ensurable.js";

/** The calls that finding a resource needs. */
export interface ResourceReaders {
  list: <T>(call: Call, options: RequestOptions) => CursorPages<T>;
  get: <T>(call: Call, options: RequestOptions) => Promise<T>;
}

/** Path parameters and body fields of `create`. */
export type EnsureInputs = Readonly<Record<string, unknown>>;

/**
 * Finds the resource that has an identity.
 *
 * @param conflict the error of `create`; undefined if its outcome is unknown.
 * @returns undefined if there is none.
 * @throws `conflict`, if it is about another resource with another identity, which no retry can resolve.
 */
export const findExisting = async <Found>(
  { list, get, parents }: Ensurable,
  identity: IdentityRule,
  inputs: EnsureInputs,
  readers: ResourceReaders,
  options: RequestOptions,
  conflict: ApiError | undefined,
): Promise<Found | undefined> => {
  const conflictFields = conflict && identity.conflicts[conflict.code];
  const conflictProperty = conflictFields?.property && readProperty(conflict, conflictFields.property);
  const existingId = conflictFields?.id && readProperty(conflict, conflictFields.id);
  if (identity.filter === undefined && get !== undefined && typeof existingId === "string") {
    return readers.get<Found>(buildGetCall(get, existingId), options);
  }
  const query: Record<string, unknown> = {};
  for (const parent of parents) {
    const id = await resolveParentId(parent, inputs, readers, options);
    if (id !== undefined) query[parent.input] = id;
    else if (parent.required || parent.lookup) return undefined;
  }
  const value = inputs[identity.input];
  if (identity.filter === undefined) {
    for await (const item of readers.list<Found>(buildListCall(list, query, query), options)) {
      if (readProperty(item, identity.property) === value) return item;
    }
    return undefined;
  }
  const filteredCall = buildListCall(list, query, { ...query, [identity.filter]: value });
  // The first page may be empty and still have a next one.
  const [existingResource] = await readers.list<Found>(filteredCall, options).toArray({ limit: 1 });
  const isOtherConflict = conflictProperty !== undefined && conflictProperty !== identity.property;
  if (conflict && existingResource === undefined && isOtherConflict) throw conflict;
  return existingResource;
};

/** Returns the id of the parent in which `create` puts the resource; undefined if the parent does not exist. */
const resolveParentId = async (
  { input, none, lookup }: ParentRule,
  inputs: EnsureInputs,
  readers: ResourceReaders,
  options: RequestOptions,
): Promise<unknown> => {
  const value = inputs[input];
  const identity = lookup?.input === undefined ? undefined : inputs[lookup.input];
  if (value === null || identity === null) return none;
  if (value !== undefined || lookup === undefined) return value;
  for await (const parent of readers.list<{ id: string }>(buildListCall(lookup.list, inputs, {}), options)) {
    const isParent =
      identity === undefined || lookup.property === undefined
        ? readProperty(parent, lookup.default) === true
        : readProperty(parent, lookup.property) === identity;
    if (isParent) return parent.id;
  }
  return undefined;
};

/** Builds the call of a list from values for its path and for its query, which may contain those for the path. */
const buildListCall = (path: string, values: EnsureInputs, query: EnsureInputs): Call => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    method: "GET",
    path,
    pathParams: Object.fromEntries(names.map((name) => [name, String(values[name])])),
    query: Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name))),
  };
};

const buildGetCall = (path: string, id: string): Call => {
  const name = /\{(\w+)\}$/.exec(path)?.[1] ?? "";
  return { method: "GET", path, pathParams: { [name]: id } };
};

const readProperty = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
