import { capitalize } from "@mgmt/internal/text/capitalize";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { confirmationNeededError, nameNeededError } from "../errors/confirmation-errors.js";
import { findNoPromptReason } from "../input/ask.js";
import { confirm } from "../input/confirm.js";
import { findProtection } from "../profiles/protection.js";
import { askForName, assertNameMatches, listExpectedTexts } from "./confirm-resource-change.js";
import { toPrintable } from "../output/printable.js";
import { ApiError } from "../sdk/sdk.js";
import { runExplainingWrongIds } from "./run-explaining-wrong-ids.js";
import { type ResourceDescription, describeResource } from "./describe-resource.js";
import { getTargetId, notFoundNotice } from "./messages.js";
import type { CommandDefinition } from "../contract/command-definition.js";
import type { PathParameters, CommandTargets } from "./targets.js";

/**
 * Shows the change that a command is about to make, and asks for confirmation: for the name of the resource if it is deleted or protected,
 * or else for a yes. `--confirm` has the name instead.
 *
 * @param action The change, after "This will".
 * @throws `confirmation:needed` where nothing can be asked; `confirmation:declined`; `confirmation:wrong_name`; errors of the service for a resource
 * that does not exist.
 */
export const confirmChange = async (
  command: CommandDefinition,
  action: string,
  { targets, unknownNameErrors }: CommandTargets,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const protection = findProtection(flags, context);
  const reason = findNoPromptReason(context);
  if (reason !== undefined && flags.confirm === undefined)
    throw protection === undefined
      ? confirmationNeededError(action, reason)
      : nameNeededError(action, protection, reason);
  const descriptions: ResourceDescription[] = [];
  for (const target of targets)
    descriptions.push(
      unknownNameErrors.has(getTargetId(command, target))
        ? describeMissingResource(command, target)
        : await describeTarget(command, target, targets.length, client, context),
    );
  const isDelete = command.method === "DELETE";
  const expectedTexts =
    isDelete && descriptions.length > 1
      ? [`delete ${String(descriptions.length)}`, ...listExpectedTexts(descriptions)]
      : listExpectedTexts(descriptions);
  if (flags.confirm !== undefined) return assertNameMatches(flags.confirm, expectedTexts, action);
  const affectedLines = [
    ...(isDelete ? ["This will delete:"] : []),
    ...descriptions.map(renderResourceDescription).flat(),
  ];
  await context.output.usedSettings.announce();
  context.output.notice(
    { code: "confirmation:affected", message: affectedLines.join("\n"), affected: affectedLines },
    { multiline: true },
  );
  if (!isDelete && protection === undefined) return confirm(action, context);
  await askForName(expectedTexts, context);
};

const describeTarget = async (
  command: CommandDefinition,
  target: PathParameters,
  count: number,
  client: MgmtClient,
  context: Context,
): Promise<ResourceDescription> => {
  const id = getTargetId(command, target);
  const kind = getResourceKind(command);
  let description: ResourceDescription | undefined;
  try {
    const lookUpTarget = async (): Promise<void> => {
      description = await describeResource(kind, id, target, client, context.signal);
    };
    const notice = count === 1 ? notFoundNotice(command, target, undefined) : undefined;
    await runExplainingWrongIds(command, target, context, lookUpTarget, notice);
  } catch (error) {
    // One of several that does not exist is reported when it is deleted.
    if (count === 1 || !(error instanceof ApiError) || ![403, 404, 422].includes(error.status)) throw error;
  }
  return description ?? describeMissingResource(command, target);
};

const describeMissingResource = (
  command: CommandDefinition,
  target: PathParameters,
): ResourceDescription => ({
  noun: getResourceKind(command) ?? "resource",
  id: getTargetId(command, target),
  name: undefined,
  contents: ["not found"],
});

const getResourceKind = ({ arguments: ids }: CommandDefinition): string | undefined => ids.at(-1)?.resource;

const renderResourceDescription = ({ noun, id, name, contents }: ResourceDescription): string[] => [
  `${capitalize(noun)} ${name === undefined ? "" : `${name} `}(${toPrintable(id)})${contents.length > 0 ? ":" : ""}`,
  ...contents.map((line) => `  ${line}`),
];
