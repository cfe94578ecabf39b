import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { MgmtClient } from "@mgmt/sdk";
import { isNotAccessibleError } from "../../errors/not-accessible.js";
import { isObject } from "../../json/json-path.js";
import { type IdsByType, createListCall } from "../../contract/list-call.js";
import type { NameableType } from "../../contract/nameable-types.js";

/** A resource in a list. */
export type ListedResource = Readonly<Record<string, unknown>>;

/** The client and limits for reading lists. */
export interface ListScope {
  readonly client: MgmtClient;
  readonly signal: AbortSignal;
  /** Lists that were read already, for a command with many names. */
  readonly lists?: Map<string, Promise<readonly ListedResource[] | undefined>>;
}

/** Returns the resources of a type, or undefined if the credential may not list them. */
export const listResources = (
  resourceType: NameableType,
  parents: IdsByType,
  scope: ListScope,
): Promise<readonly ListedResource[] | undefined> => {
  const key = JSON.stringify([resourceType, parents]);
  const pendingList = scope.lists?.get(key) ?? fetchResources(resourceType, parents, scope);
  scope.lists?.set(key, pendingList);
  // The next name may succeed.
  pendingList.catch(() => scope.lists?.delete(key));
  return pendingList;
};

const fetchResources = async (
  resourceType: NameableType,
  parents: IdsByType,
  { client, signal }: ListScope,
): Promise<readonly ListedResource[] | undefined> => {
  const resources: ListedResource[] = [];
  try {
    for await (const { data } of client
      .requestPages(createListCall(resourceType, parents), { signal })
      .pages())
      resources.push(...data.filter(isObject));
    return resources;
  } catch (error) {
    signal.throwIfAborted();
    // The text is then sent as an id.
    if (!isNotAccessibleError(error) && readErrorCode(error) !== "response:invalid") throw error;
    return undefined;
  }
};
