import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { confirmationNeeded, declined } from "../errors/run-errors.js";
import { ask, whyNotAsked } from "../input/ask.js";
import { confirm } from "../input/confirm.js";
import { discardTypedLines } from "../input/discard-typed-lines.js";
import { printable } from "../output/printable.js";
import { ApiError } from "../sdk/sdk.js";
import { explainingIds } from "./explaining-ids.js";
import { type Described, lookUp } from "./look-up.js";
import { idOf, notFoundNotice } from "./messages.js";
import type { CommandDefinition } from "../contract/command-definition.js";
import type { Targets } from "./targets.js";

type Target = Readonly<Record<string, string>>;

/**
 * Shows the change that a command is about to make, and asks for confirmation: for the name of the resource to delete, or else for a yes.
 *
 * @param what The change, after "This will".
 * @throws `confirmation:needed` where nothing can be asked; `confirmation:declined`; errors of the service for a resource
 * that does not exist.
 */
export const confirmChange = async (
  command: CommandDefinition,
  what: string,
  { targets, unknown }: Targets,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const reason = whyNotAsked(context);
  if (reason !== undefined) throw confirmationNeeded(what, reason);
  const described: Described[] = [];
  for (const target of targets)
    described.push(
      unknown.has(idOf(command, target))
        ? notFound(command, target)
        : await describe(command, target, targets.length, client, context),
    );
  const isDelete = command.method === "DELETE";
  const affected = [...(isDelete ? ["This will delete:"] : []), ...described.map(linesOf).flat()];
  context.output.notice(
    { code: "confirmation:affected", message: affected.join("\n"), affected },
    { multiline: true },
  );
  if (!isDelete) return confirm(what, context);
  const [first] = described;
  const wanted =
    described.length > 1 ? `delete ${String(described.length)}` : first && (typable(first.name) ?? first.id);
  const message = `Type ${printable(wanted ?? "yes")} to confirm:`;
  const typed = await ask(context, async ({ input }, terminal) => {
    await discardTypedLines(terminal.input);
    return input({ message }, terminal);
  });
  if (typed.trim() !== wanted) throw declined();
};

const describe = async (
  command: CommandDefinition,
  target: Target,
  count: number,
  client: MgmtClient,
  context: Context,
): Promise<Described> => {
  const id = idOf(command, target);
  const kind = kindOf(command);
  let described: Described | undefined;
  try {
    const look = async (): Promise<void> => {
      described = await lookUp(kind, id, target, client, context.signal);
    };
    const notice = count === 1 ? notFoundNotice(command, target, undefined) : undefined;
    await explainingIds(command, target, context, look, notice);
  } catch (error) {
    // One of several that does not exist is reported when it is deleted.
    if (count === 1 || !(error instanceof ApiError) || ![403, 404, 422].includes(error.status)) throw error;
  }
  return described ?? notFound(command, target);
};

const notFound = (command: CommandDefinition, target: Target): Described => ({
  noun: kindOf(command) ?? "resource",
  id: idOf(command, target),
  name: undefined,
  contents: ["not found"],
});

const kindOf = ({ arguments: ids }: CommandDefinition): string | undefined => ids.at(-1)?.resource;

const linesOf = ({ noun, id, name, contents }: Described): string[] => [
  `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)} ${name === undefined ? "" : `${name} `}(${printable(id)})${contents.length > 0 ? ":" : ""}`,
  ...contents.map((line) => `  ${line}`),
];

/** A name that can be typed as it is shown. For any other, the id is asked for. */
const typable = (name: string | undefined): string | undefined =>
  name !== undefined &&
  name.length <= 64 &&
  /^[\p{L}\p{N}\p{P}\p{S}]+( [\p{L}\p{N}\p{P}\p{S}]+)*$/u.test(name)
    ? name
    : undefined;
