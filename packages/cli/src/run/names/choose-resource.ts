import { capitalize } from "@mgmt/internal/text/capitalize";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { nothingToChooseError } from "../../errors/usage-errors.js";
import type { PromptChoice } from "../../input/choice.js";
import { choose } from "../../input/choose.js";
import { getAtPath } from "../../json/json-path.js";
import { namedKinds } from "../../contract/id-form.js";
import { resolveIdOrName } from "./resolve-id-or-name.js";
import { toPrintable } from "../../output/printable.js";
import { resolveAndAnnounceDefault } from "../../profiles/defaults.js";
import { isDefaultName } from "../../profiles/profile.js";
import { type KindName, resourceKinds, type ParentKind } from "../../contract/kinds.js";
import { readResourceId, createListCall, readResourceName } from "../../contract/list-call.js";

/** Ids by kind of resource. `chooseResource` adds the ids that the user chooses. */
export type IdByKind = Partial<Record<KindName, string>>;

interface ChooseContext {
  readonly client: MgmtClient;
  /** Parents of the resources to choose from. Ids of parents that the user chooses are added. */
  readonly knownIds: IdByKind;
  readonly flags: GlobalFlags;
  readonly context: Context;
}

/**
 * Asks for one of the resources of a kind, and first for its parent if the list needs one. A list that is
 * longer than a page can be searched, and accepts an id that is typed.
 *
 * @throws `usage:missing` if there are none.
 */
export const chooseResource = async (
  kind: KindName,
  title: string,
  chooseContext: ChooseContext,
): Promise<string> => {
  const { client, context } = chooseContext;
  const [parent] = resourceKinds[kind].parents ?? [];
  const parentId = parent && (await resolveParentId(kind, parent, chooseContext));
  const call = createListCall(kind, parent && parentId !== undefined ? { [parent.kind]: parentId } : {});
  const body = await client.request<unknown>(call, { signal: context.signal });
  const resources = getAtPath(body, ["data"]);
  const choices = (Array.isArray(resources) ? resources : []).flatMap((resource: unknown): PromptChoice[] => {
    const id = readResourceId(kind, resource);
    return id === undefined ? [] : [{ value: id, parts: listChoiceParts(resource), isId: true }];
  });
  if (choices.length === 0) throw nothingToChooseError(resourceKinds[kind].noun);
  const isComplete = getAtPath(body, ["pagination", "hasMore"]) !== true;
  return choose({ title, choices, isComplete }, context);
};

const resolveParentId = async (
  kind: KindName,
  parent: ParentKind,
  chooseContext: ChooseContext,
): Promise<string | undefined> => {
  const { client, knownIds, flags, context } = chooseContext;
  const name = `${parent.kind}Id`;
  const defaultId = isDefaultName(name) ? resolveAndAnnounceDefault(name, flags, context)?.value : undefined;
  const namedKind = namedKinds.find((name) => name === parent.kind);
  const parentId =
    knownIds[parent.kind] ??
    (defaultId !== undefined && namedKind
      ? await resolveIdOrName(namedKind, defaultId, client, flags, context)
      : defaultId);
  if (parentId !== undefined || !resourceKinds[kind].list.includes(`{${parent.parameter}}`)) return parentId;
  const { noun } = resourceKinds[parent.kind];
  const id = await chooseResource(parent.kind, capitalize(noun), chooseContext);
  knownIds[parent.kind] = id;
  return id;
};

/** Returns the properties that identify a resource for people: its name, the resources that contain it, and its status. */
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
