import type { OperationCommand, PathArgument } from "../command-table.js";
import { usageError } from "../errors.js";
import type { DefaultName } from "../profiles/defaults.js";

const defaultNames: Readonly<Record<string, DefaultName>> = {
  "project-id": "projectId",
  "workspace-id": "workspaceId",
};

/** What stands in for the only id of a command when it is not typed. Nothing is deleted that was not named. */
export const defaultOf = ({
  method,
  arguments: [first, second],
}: OperationCommand): DefaultName | undefined =>
  method === "DELETE" || second || !first ? undefined : defaultNames[first.label];

/** Path parameters by name: one set for each id that the last argument was given, each id once. */
export const targetsOf = (
  parameters: readonly PathArgument[],
  ids: readonly string[],
): Record<string, string>[] => {
  for (const [index, id] of ids.entries()) {
    const label = parameters[Math.min(index, parameters.length - 1)]?.label ?? "id";
    // Such an id would name another path. What else makes an id is the service's to say.
    if (/^\s*\.{0,2}\s*$/.test(id)) {
      throw usageError(`<${label}> cannot be ${JSON.stringify(id)}`, "It must be an id.");
    }
  }
  const fixed = ids.slice(0, Math.max(0, parameters.length - 1));
  const last = [...new Set(ids.slice(fixed.length))];
  const named = (values: readonly string[]): Record<string, string> =>
    Object.fromEntries(parameters.map(({ name }, index) => [name, values[index] ?? ""]));
  return last.length > 0 ? last.map((id) => named([...fixed, id])) : [named([])];
};
