import { capitalize } from "@mgmt/internal/text/capitalize";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { isNotAccessibleError } from "../errors/not-accessible.js";
import { confirmResourceChange } from "./confirm-resource-change.js";
import { toPrintable } from "../output/printable.js";
import { withIdHints } from "./with-id-hints.js";
import { type ResourceDescription, describeResource } from "./describe-resource.js";
import { getTargetId, createNotFoundNotice } from "./messages.js";
import { getResourceTypeNoun } from "../contract/resource-types.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import type { PathParameters, CommandTargets } from "./targets.js";

/**
 * Asks for confirmation of an operation, after the names and the contents of what it changes: for the name if something is deleted or
 * protected, or else for a yes. `--confirm` has the name instead.
 *
 * @param action The change, after "This will".
 * @returns The targets, with an error for each if none of them exists. Then there was nothing to ask.
 * @throws `confirmation:needed` if the command cannot prompt; `confirmation:declined`; `confirmation:wrong_name`; errors of the service for a resource
 * that does not exist.
 */
export const confirmOperation = async (
  command: GeneratedCommand,
  action: string,
  { targets, unknownNameErrors }: CommandTargets,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<CommandTargets> => {
  const missingErrors = new Map<string, Error>(unknownNameErrors);
  const isNoneLeft = (): boolean => missingErrors.size === targets.length;
  if (isNoneLeft()) return { targets, unknownNameErrors };
  const isDelete = command.method === "DELETE";
  const describeTargets = async (): Promise<ResourceDescription[]> => {
    const descriptions: ResourceDescription[] = [];
    for (const target of targets)
      descriptions.push(
        missingErrors.has(getTargetId(command, target))
          ? describeMissingResource(command, target)
          : await describeTarget(command, target, targets.length, missingErrors, client, context),
      );
    return isNoneLeft() ? [] : descriptions;
  };
  await confirmResourceChange(
    {
      action,
      resources: describeTargets,
      isDelete,
      renderResources: (descriptions) => [
        ...(isDelete ? ["This will delete:"] : []),
        ...descriptions.flatMap(renderResourceDescription),
      ],
    },
    flags,
    context,
  );
  return { targets, unknownNameErrors: isNoneLeft() ? missingErrors : unknownNameErrors };
};

const describeTarget = async (
  command: GeneratedCommand,
  target: PathParameters,
  count: number,
  missingErrors: Map<string, Error>,
  client: MgmtClient,
  context: Context,
): Promise<ResourceDescription> => {
  const id = getTargetId(command, target);
  const resourceType = getResourceType(command);
  let description: ResourceDescription | undefined;
  try {
    const lookUpTarget = async (): Promise<void> => {
      description = await describeResource(resourceType, id, target, client, context.signal);
    };
    const notice = count === 1 ? createNotFoundNotice(command, target, undefined) : undefined;
    await withIdHints(command, target, context, lookUpTarget, notice);
  } catch (error) {
    // With several targets, a missing one is reported when its deletion fails.
    if (count === 1 || !isNotAccessibleError(error)) throw error;
    if (error.status !== 403) missingErrors.set(id, error);
  }
  return description ?? describeMissingResource(command, target);
};

const describeMissingResource = (command: GeneratedCommand, target: PathParameters): ResourceDescription => ({
  noun: getResourceTypeNoun(getResourceType(command) ?? "resource"),
  id: getTargetId(command, target),
  name: undefined,
  contents: ["not found"],
});

const getResourceType = ({ arguments: ids }: GeneratedCommand): string | undefined => ids.at(-1)?.resource;

const renderResourceDescription = ({ noun, id, name, contents }: ResourceDescription): string[] => [
  `${capitalize(noun)} ${name === undefined ? "" : `${name} `}(${toPrintable(id)})${contents.length > 0 ? ":" : ""}`,
  ...contents.map((line) => `  ${line}`),
];
