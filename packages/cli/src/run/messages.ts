import type { ItemResult } from "../output/output.js";
import type { Notice } from "../output/messages.js";
import type { CommandOverride } from "../contract/command-override.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { getResourceTypeNoun } from "../contract/resource-types.js";
import { addArticle } from "@mgmt/internal/text/article";
import type { PathParameters } from "./targets.js";

/** Returns a description of the action that the user has to confirm, or undefined when it can be undone. */
export const findActionToConfirm = (
  command: GeneratedCommand,
  { confirm }: CommandOverride,
  targets: readonly PathParameters[],
): string | undefined => {
  const [target = {}] = targets;
  if (confirm !== undefined)
    return confirm.replaceAll(/\{(\w+)\}/g, (_, name: string) => target[name] ?? name);
  if (command.method !== "DELETE") return undefined;
  return `delete ${getResourceNoun(command)} ${targets.map((target) => getTargetId(command, target)).join(", ")}`;
};

/** Returns the message after a command whose response is empty. */
export const renderDoneMessage = (command: GeneratedCommand, target: PathParameters): string =>
  command.method === "DELETE"
    ? `Deleted ${getResourceNoun(command)} ${getTargetId(command, target)}.`
    : `Done: ${[...command.commandPath, ...Object.values(target)].join(" ")}`;

/** Returns the notice about an existing resource that `ensure` has found. */
export const createExistedNotice = ({ id }: Readonly<Record<string, unknown>>): Notice => ({
  code: "ensure:existed",
  message: `${String(id)} already existed and was not changed.`,
  id,
});

/** Returns the result for a resource that was deleted. */
export const createDeletedResult = (command: GeneratedCommand, target: PathParameters): ItemResult => ({
  id: getTargetId(command, target),
  status: "deleted",
});

/** @param remainingCount how many resources were not attempted. */
export const createInterruptedDeletionNotice = (
  command: GeneratedCommand,
  target: PathParameters,
  mightBeDone: boolean,
  remainingCount: number,
): Notice => {
  const id = getTargetId(command, target);
  const outcome = mightBeDone ? "was interrupted and may have been completed" : "was not carried out";
  return {
    code: "delete:interrupted",
    message: `The deletion of ${getResourceNoun(command)} ${id} ${outcome}. Not attempted: ${String(remainingCount)}.`,
    id,
  };
};

/** @param remainingCount how many lines were not attempted. */
export const createInterruptedCreationNotice = (
  line: number,
  mightBeDone: boolean,
  remainingCount: number,
): Notice => ({
  code: "create:interrupted",
  message: `Line ${String(line)} was ${mightBeDone ? "interrupted and may have been" : "not"} carried out. Lines not attempted: ${String(remainingCount)}.`,
  line,
});

/** Returns the warning that a command is deprecated, with the command to use in its place, if there is one. */
export const createDeprecationWarning = ({ commandPath, deprecated }: GeneratedCommand): Notice => {
  const replacement = deprecated?.replacedBy.length ? `mgmt ${deprecated.replacedBy.join(" ")}` : undefined;
  return {
    code: "command:deprecated",
    message: `mgmt ${commandPath.join(" ")} is deprecated${replacement === undefined ? "" : `; use ${replacement}`}`,
    ...(replacement !== undefined && { replacement }),
  };
};

/**
 * Returns the notice when the service does not find a resource whose id is a default; undefined if the id is on the command line.
 *
 * @param source where the id came from.
 */
export const createNotFoundNotice = (
  { arguments: ids }: GeneratedCommand,
  target: PathParameters,
  source: string | undefined,
): Notice | undefined => {
  if (ids.length === 0 || source === undefined) return undefined;
  const names = ids.map(({ name, label }) => `${label} ${target[name] ?? ""}`);
  return {
    code: "target:not_found",
    message: `Not found: ${names.join(", ")} (from ${source})`,
    ids: target,
    from: source,
  };
};

/** Returns a message for each id whose prefix belongs to another resource type. */
export const listWrongPrefixMessages = (
  { arguments: ids }: GeneratedCommand,
  target: PathParameters,
): string[] =>
  ids.flatMap(({ name, prefix, resource }) => {
    const id = target[name] ?? "";
    const actualPrefix = /^[a-z]+_/.exec(id)?.[0];
    if (prefix === undefined || actualPrefix === undefined || actualPrefix === prefix) return [];
    return [
      `${id} does not look like the id of ${addArticle(resource ?? "resource")}, which starts with ${prefix}.`,
    ];
  });

/** Returns the last id of the path, which identifies the resource itself. */
export const getTargetId = ({ arguments: ids }: GeneratedCommand, target: PathParameters): string =>
  target[ids.at(-1)?.name ?? ""] ?? "";

/** Returns the noun for the resource that a command changes, as users know it. */
const getResourceNoun = ({ arguments: ids }: GeneratedCommand): string => {
  const { resource, label = "resource" } = ids.at(-1) ?? {};
  return resource === undefined
    ? label.replace(/-id$/, "").replaceAll("-", " ")
    : getResourceTypeNoun(resource);
};
