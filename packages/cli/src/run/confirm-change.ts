import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { confirmationNeededError, confirmationDeclinedError } from "../errors/run-errors.js";
import { ask, findNoPromptReason } from "../input/ask.js";
import { confirm } from "../input/confirm.js";
import { discardTypedLines } from "../input/discard-typed-lines.js";
import { toPrintable } from "../output/printable.js";
import { ApiError } from "../sdk/sdk.js";
import { explainWrongIds } from "./explain-wrong-ids.js";
import { type ResourceDescription, describeResource } from "./describe-resource.js";
import { idOf, notFoundNotice } from "./messages.js";
import type { CommandDefinition } from "../contract/command-definition.js";
import type { Targets } from "./targets.js";

type PathParameters = Readonly<Record<string, string>>;

/**
 * Shows the change that a command is about to make, and asks for confirmation: for the name of the resource to delete, or else for a yes.
 *
 * @param question The change, after "This will".
 * @throws `confirmation:needed` where nothing can be asked; `confirmation:declined`; errors of the service for a resource
 * that does not exist.
 */
export const confirmChange = async (
  command: CommandDefinition,
  question: string,
  { targets, unknown }: Targets,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const reason = findNoPromptReason(context);
  if (reason !== undefined) throw confirmationNeededError(question, reason);
  const descriptions: ResourceDescription[] = [];
  for (const target of targets)
    descriptions.push(
      unknown.has(idOf(command, target))
        ? describeMissing(command, target)
        : await describeTarget(command, target, targets.length, client, context),
    );
  const isDelete = command.method === "DELETE";
  const affected = [
    ...(isDelete ? ["This will delete:"] : []),
    ...descriptions.map(renderDescription).flat(),
  ];
  context.output.notice(
    { code: "confirmation:affected", message: affected.join("\n"), affected },
    { multiline: true },
  );
  if (!isDelete) return confirm(question, context);
  const [firstDescription] = descriptions;
  const expectedText =
    descriptions.length > 1
      ? `delete ${String(descriptions.length)}`
      : firstDescription && (typableName(firstDescription.name) ?? firstDescription.id);
  const message = `Type ${toPrintable(expectedText ?? "yes")} to confirm:`;
  const typedText = await ask(context, async ({ input }, terminal) => {
    await discardTypedLines(terminal.input);
    return input({ message }, terminal);
  });
  if (typedText.trim() !== expectedText) throw confirmationDeclinedError();
};

const describeTarget = async (
  command: CommandDefinition,
  target: PathParameters,
  count: number,
  client: MgmtClient,
  context: Context,
): Promise<ResourceDescription> => {
  const id = idOf(command, target);
  const kind = resourceNameOf(command);
  let description: ResourceDescription | undefined;
  try {
    const lookUpTarget = async (): Promise<void> => {
      description = await describeResource(kind, id, target, client, context.signal);
    };
    const notice = count === 1 ? notFoundNotice(command, target, undefined) : undefined;
    await explainWrongIds(command, target, context, lookUpTarget, notice);
  } catch (error) {
    // One of several that does not exist is reported when it is deleted.
    if (count === 1 || !(error instanceof ApiError) || ![403, 404, 422].includes(error.status)) throw error;
  }
  return description ?? describeMissing(command, target);
};

const describeMissing = (command: CommandDefinition, target: PathParameters): ResourceDescription => ({
  noun: resourceNameOf(command) ?? "resource",
  id: idOf(command, target),
  name: undefined,
  contents: ["not found"],
});

const resourceNameOf = ({ arguments: ids }: CommandDefinition): string | undefined => ids.at(-1)?.resource;

const renderDescription = ({ noun, id, name, contents }: ResourceDescription): string[] => [
  `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)} ${name === undefined ? "" : `${name} `}(${toPrintable(id)})${contents.length > 0 ? ":" : ""}`,
  ...contents.map((line) => `  ${line}`),
];

/** A name that can be typed as it is shown. For any other, the id is asked for. */
const typableName = (name: string | undefined): string | undefined =>
  name !== undefined &&
  name.length <= 64 &&
  /^[\p{L}\p{N}\p{P}\p{S}]+( [\p{L}\p{N}\p{P}\p{S}]+)*$/u.test(name)
    ? name
    : undefined;
