import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { MgmtClient } from "@mgmt/sdk";
import { isObject } from "../../json/json-path.js";
import { type IdsByKind, createListCall } from "../../contract/list-call.js";
import type { NamedKind } from "../../contract/id-form.js";

/** A resource in a list. */
export type ListedResource = Readonly<Record<string, unknown>>;

/** The client and limits for reading lists. */
export interface ListScope {
  readonly client: MgmtClient;
  readonly signal: AbortSignal;
  /** Lists that were read already, for a command with many names. */
  readonly lists?: Map<string, Promise<readonly ListedResource[] | undefined>>;
}

/** Statuses of a credential that may not list, and of a path that does not exist: the text is then sent as an id. */
const inaccessibleStatuses: readonly unknown[] = [403, 404, 422];

/** Returns the resources of a kind, or undefined if the credential may not list them. */
export const listResources = (
  kind: NamedKind,
  parents: IdsByKind,
  scope: ListScope,
): Promise<readonly ListedResource[] | undefined> => {
  const key = JSON.stringify([kind, parents]);
  const pendingList = scope.lists?.get(key) ?? fetchResources(kind, parents, scope);
  scope.lists?.set(key, pendingList);
  // The next name may succeed.
  pendingList.catch(() => scope.lists?.delete(key));
  return pendingList;
};

const fetchResources = async (
  kind: NamedKind,
  parents: IdsByKind,
  { client, signal }: ListScope,
): Promise<readonly ListedResource[] | undefined> => {
  const resources: ListedResource[] = [];
  try {
    for await (const { data } of client.requestPages(createListCall(kind, parents), { signal }).pages())
      resources.push(...data.filter(isObject));
    return resources;
  } catch (error) {
    signal.throwIfAborted();
    const status = error instanceof Error && "status" in error ? error.status : undefined;
    const isInvalid = readErrorCode(error) === "response:invalid";
    if (!inaccessibleStatuses.includes(status) && !isInvalid) throw error;
    return undefined;
  }
};
