import type { ItemResult, Notice } from "../output/output.js";
import type { CommandOverride } from "../contract/command-override.js";
import type { CommandDefinition } from "../contract/command-definition.js";

type Target = Readonly<Record<string, string>>;

/** Returns what a command asks the user to confirm, or undefined when it can be undone. */
export const questionOf = (
  command: CommandDefinition,
  { confirm }: CommandOverride,
  targets: readonly Target[],
): string | undefined => {
  const [target = {}] = targets;
  if (confirm !== undefined)
    return confirm.replaceAll(/\{(\w+)\}/g, (_, name: string) => target[name] ?? name);
  if (command.method !== "DELETE") return undefined;
  return `delete ${kindOf(command)} ${targets.map((target) => idOf(command, target)).join(", ")}`;
};

/** Returns the message after a command whose response is empty. */
export const doneMessage = (command: CommandDefinition, target: Target): string =>
  command.method === "DELETE"
    ? `Deleted ${kindOf(command)} ${idOf(command, target)}.`
    : `Done: ${[...command.words, ...Object.values(target)].join(" ")}`;

/** Returns the notice about an existing resource that `ensure` has found. */
export const existedNotice = ({ id }: Readonly<Record<string, unknown>>): Notice => ({
  code: "ensure:existed",
  message: `${String(id)} already existed and was not changed.`,
  id,
});

/** Returns the result for a resource that was deleted. */
export const deleted = (command: CommandDefinition, target: Target): ItemResult => ({
  id: idOf(command, target),
  status: "deleted",
});

/** @param left how many resources were not attempted. */
export const deleteInterrupted = (
  command: CommandDefinition,
  target: Target,
  mayBeDone: boolean,
  left: number,
): Notice => {
  const id = idOf(command, target);
  const outcome = mayBeDone ? "was interrupted and may have been completed" : "was not carried out";
  return {
    code: "delete:interrupted",
    message: `The deletion of ${kindOf(command)} ${id} ${outcome}. Not attempted: ${String(left)}.`,
    id,
  };
};

/** @param left how many lines were not attempted. */
export const createInterrupted = (line: number, mayBeDone: boolean, left: number): Notice => ({
  code: "create:interrupted",
  message: `Line ${String(line)} was ${mayBeDone ? "interrupted and may have been" : "not"} carried out. Lines not attempted: ${String(left)}.`,
  line,
});

export const deprecationWarning = ({ words, deprecated }: CommandDefinition): Notice => {
  const replacement = deprecated?.replacedBy.length ? `mgmt ${deprecated.replacedBy.join(" ")}` : undefined;
  return {
    code: "command:deprecated",
    message: `mgmt ${words.join(" ")} is deprecated${replacement === undefined ? "" : `; use ${replacement}`}`,
    ...(replacement !== undefined && { replacement }),
  };
};

/**
 * Returns the notice when the service does not find a resource whose id was not typed; undefined for one that was.
 *
 * @param from where the id came from.
 */
export const notFoundNotice = (
  { arguments: ids }: CommandDefinition,
  target: Target,
  from: string | undefined,
): Notice | undefined => {
  if (ids.length === 0 || from === undefined) return undefined;
  const names = ids.map(({ name, label }) => `${label} ${target[name] ?? ""}`);
  return {
    code: "target:not_found",
    message: `Not found: ${names.join(", ")} (from ${from})`,
    ids: target,
    from,
  };
};

/** Returns a message for each id whose prefix belongs to another kind of resource. */
export const wrongPrefixMessages = ({ arguments: ids }: CommandDefinition, target: Target): string[] =>
  ids.flatMap(({ name, prefix, resource }) => {
    const id = target[name] ?? "";
    const typed = /^[a-z]+_/.exec(id)?.[0];
    if (prefix === undefined || typed === undefined || typed === prefix) return [];
    return [`${id} does not look like the id of a ${resource ?? "resource"}, which starts with ${prefix}.`];
  });

/** Returns the last id of the path, which identifies the resource itself. */
export const idOf = ({ arguments: ids }: CommandDefinition, target: Target): string =>
  target[ids.at(-1)?.name ?? ""] ?? "";

const kindOf = ({ arguments: ids }: CommandDefinition): string =>
  ids.at(-1)?.resource ?? ids.at(-1)?.label.replace(/-id$/, "").replaceAll("-", " ") ?? "resource";
