import { capitalize } from "@mgmt/internal/text/capitalize";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { nothingToChooseError } from "../../errors/usage-errors.js";
import type { PromptChoice } from "../../input/choice.js";
import { promptForChoice } from "../../input/prompt-for-choice.js";
import { getAtPath } from "../../json/json-path.js";
import { nameableTypes } from "../../contract/nameable-types.js";
import { resolveIdOrName } from "./resolve-id-or-name.js";
import { toPrintable } from "../../output/printable.js";
import { resolveAndAnnounceDefault } from "../../profiles/defaults.js";
import { isDefaultName } from "../../profiles/profile.js";
import { type ResourceType, resourceTypes, type ParentType } from "../../contract/resource-types.js";
import { readResourceId, createListCall, readResourceName } from "../../contract/list-call.js";

/** Ids by resource type. `chooseResource` adds the ids that the user chooses. */
export type MutableIdsByType = Partial<Record<ResourceType, string>>;

interface ChooseContext {
  readonly client: MgmtClient;
  /** Ids of known parents of the resources to choose from. Mutated: ids of parents that the user chooses are added. */
  readonly knownIds: MutableIdsByType;
  readonly flags: GlobalFlags;
  readonly context: Context;
}

/**
 * Asks for one of the resources of a type, and first for its parent if the list needs one. A list that is
 * longer than a page can be searched, and accepts an id that is typed.
 *
 * @throws `usage:missing` if there are none.
 */
export const chooseResource = async (
  resourceType: ResourceType,
  title: string,
  chooseContext: ChooseContext,
): Promise<string> => {
  const { client, context } = chooseContext;
  const [parent] = resourceTypes[resourceType].parents ?? [];
  const parentId = parent && (await resolveParentId(resourceType, parent, chooseContext));
  const call = createListCall(
    resourceType,
    parent && parentId !== undefined ? { [parent.resourceType]: parentId } : {},
  );
  const body = await client.request<unknown>(call, { signal: context.signal });
  const resources = getAtPath(body, ["data"]);
  const choices = (Array.isArray(resources) ? resources : []).flatMap((resource: unknown): PromptChoice[] => {
    const id = readResourceId(resourceType, resource);
    return id === undefined ? [] : [{ value: id, parts: listChoiceParts(resource), isId: true }];
  });
  if (choices.length === 0) throw nothingToChooseError(resourceTypes[resourceType].noun);
  const isComplete = getAtPath(body, ["pagination", "hasMore"]) !== true;
  return promptForChoice({ title, choices, isComplete }, context);
};

const resolveParentId = async (
  resourceType: ResourceType,
  parent: ParentType,
  chooseContext: ChooseContext,
): Promise<string | undefined> => {
  const { client, knownIds, flags, context } = chooseContext;
  const name = `${parent.resourceType}Id`;
  const defaultId = isDefaultName(name) ? resolveAndAnnounceDefault(name, flags, context)?.value : undefined;
  const nameableType = nameableTypes.find((name) => name === parent.resourceType);
  const parentId =
    knownIds[parent.resourceType] ??
    (defaultId !== undefined && nameableType
      ? await resolveIdOrName(nameableType, defaultId, client, flags, context)
      : defaultId);
  if (parentId !== undefined || !resourceTypes[resourceType].list.includes(`{${parent.parameter}}`))
    return parentId;
  const { noun } = resourceTypes[parent.resourceType];
  const id = await chooseResource(parent.resourceType, capitalize(noun), chooseContext);
  knownIds[parent.resourceType] = id;
  return id;
};

/** Returns the properties that are shown to identify a resource: its name, the resources that contain it, and its status. */
const listChoiceParts = (resource: unknown): string[] =>
  [
    readResourceName(resource),
    getAtPath(resource, ["project", "name"]),
    getAtPath(resource, ["database", "name"]),
    getAtPath(resource, ["backupType"]),
    getAtPath(resource, ["status"]),
    getAtPath(resource, ["backupType"]) === undefined ? undefined : getAtPath(resource, ["createdAt"]),
  ]
    .filter((text): text is string => typeof text === "string" && text !== "")
    .map(toPrintable);
