import type { OperationCommand } from "../command-table.js";
import type { Notice } from "../output/output.js";
import type { CommandOverlay } from "../overlay.js";

type Target = Readonly<Record<string, string>>;

/** What is asked before something that cannot be undone; undefined for everything else. */
export const questionOf = (
  command: OperationCommand,
  { confirm }: CommandOverlay,
  targets: readonly Target[],
): string | undefined => {
  const [target = {}] = targets;
  if (confirm !== undefined)
    return confirm.replaceAll(/\{(\w+)\}/g, (_, name: string) => target[name] ?? name);
  if (command.method !== "DELETE") return undefined;
  return `delete ${kindOf(command)} ${targets.map((each) => idOf(command, each)).join(", ")}`;
};

export const doneMessage = (command: OperationCommand, target: Target): string =>
  command.method === "DELETE"
    ? `Deleted ${kindOf(command)} ${idOf(command, target)}.`
    : `Done: ${[...command.words, ...Object.values(target)].join(" ")}`;

export const deprecationWarning = ({ words, deprecated }: OperationCommand): Notice => {
  const replacement = deprecated?.replacedBy.length ? `mgmt ${deprecated.replacedBy.join(" ")}` : undefined;
  return {
    code: "command:deprecated",
    message: `mgmt ${words.join(" ")} is deprecated${replacement === undefined ? "" : `; use ${replacement}`}`,
    ...(replacement !== undefined && { replacement }),
  };
};

/** Said where an id was not found that does not even look like one of its kind. */
export const wrongKindMessages = ({ arguments: ids }: OperationCommand, target: Target): string[] =>
  ids.flatMap(({ name, prefix, resource }) => {
    const id = target[name] ?? "";
    const typed = /^[a-z]+_/.exec(id)?.[0];
    if (prefix === undefined || typed === undefined || typed === prefix) return [];
    return [`${id} does not look like the id of a ${resource ?? "resource"}: those begin with ${prefix}.`];
  });

/** The last id of the path, which is the one that is meant. */
export const idOf = ({ arguments: ids }: OperationCommand, target: Target): string =>
  target[ids.at(-1)?.name ?? ""] ?? "";

const kindOf = ({ arguments: ids }: OperationCommand): string =>
  ids.at(-1)?.resource ?? ids.at(-1)?.label.replace(/-id$/, "").replaceAll("-", " ") ?? "resource";
