import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { nothingToChoose } from "../../errors/usage-errors.js";
import type { Choice } from "../../input/choice.js";
import { choose } from "../../input/choose.js";
import { valueAt } from "../../json/json-path.js";
import { namedKinds } from "../../contract/id-form.js";
import { idOf } from "./id-of.js";
import { printable } from "../../output/printable.js";
import { takeDefault } from "../../profiles/defaults.js";
import { isDefaultName } from "../../profiles/profile.js";
import { type KindName, kinds, type Parent } from "../../contract/kinds.js";
import { idOfItem, listCall, nameOfItem } from "../../contract/list.js";

/** Ids by kind of resource, to which the ids that are chosen are added. */
export type Known = Partial<Record<KindName, string>>;

interface Choosing {
  readonly client: MgmtClient;
  /** Resources to choose from belong to these, if they can. */
  readonly known: Known;
  readonly flags: GlobalFlags;
  readonly context: Context;
}

/**
 * Asks for one of the resources of a kind, and first for the one that it belongs to if its list needs one. A list that is
 * longer than a page can be searched, and accepts an id that is typed.
 *
 * @throws `usage:missing` if there are none.
 */
export const chooseResource = async (kind: KindName, title: string, choosing: Choosing): Promise<string> => {
  const { client, context } = choosing;
  const [parent] = kinds[kind].parents ?? [];
  const parentId = parent && (await idOfParent(kind, parent, choosing));
  const call = listCall(kind, parent && parentId !== undefined ? { [parent.kind]: parentId } : {});
  const body = await client.request<unknown>(call, { signal: context.signal });
  const items = valueAt(body, ["data"]);
  const choices = (Array.isArray(items) ? items : []).flatMap((item: unknown): Choice[] => {
    const value = idOfItem(kind, item);
    return value === undefined ? [] : [{ value, texts: textsOf(item), isId: true }];
  });
  if (choices.length === 0) throw nothingToChoose(kinds[kind].noun);
  const isComplete = valueAt(body, ["pagination", "hasMore"]) !== true;
  return choose({ title, choices, isComplete }, context);
};

const idOfParent = async (
  kind: KindName,
  parent: Parent,
  choosing: Choosing,
): Promise<string | undefined> => {
  const { client, known, flags, context } = choosing;
  const name = `${parent.kind}Id`;
  const preset = isDefaultName(name) ? takeDefault(name, flags, context)?.value : undefined;
  const nameable = namedKinds.find((name) => name === parent.kind);
  const parentId =
    known[parent.kind] ??
    (preset !== undefined && nameable ? await idOf(nameable, preset, client, flags, context) : preset);
  if (parentId !== undefined || !kinds[kind].list.includes(`{${parent.parameter}}`)) return parentId;
  const { noun } = kinds[parent.kind];
  const title = `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}`;
  const id = await chooseResource(parent.kind, title, choosing);
  known[parent.kind] = id;
  return id;
};

/** Returns the properties that identify a resource for people: its name, the resources that contain it, and its status. */
const textsOf = (item: unknown): string[] =>
  [
    nameOfItem(item),
    valueAt(item, ["project", "name"]),
    valueAt(item, ["database", "name"]),
    valueAt(item, ["backupType"]),
    valueAt(item, ["status"]),
    valueAt(item, ["backupType"]) === undefined ? undefined : valueAt(item, ["createdAt"]),
  ]
    .filter((text): text is string => typeof text === "string" && text !== "")
    .map(printable);
