import { assertPathId } from "../input/ids.js";
import { type DefaultName, isDefaultName } from "../profiles/profile.js";
import type { OperationCommand, PathArgument } from "./row.js";

/** Returns the default that replaces the only id of a command when it is left out. A delete has none: its id must be typed. */
export const defaultOf = ({
  method,
  arguments: [first, second],
}: OperationCommand): DefaultName | undefined => {
  const name = `${first?.resource ?? ""}Id`;
  return method !== "DELETE" && !second && isDefaultName(name) ? name : undefined;
};

/** Returns path parameters by name: one set for each value of the last argument. Repeated values are ignored. */
export const targetsOf = (
  parameters: readonly PathArgument[],
  ids: readonly string[],
): Record<string, string>[] => {
  for (const [index, id] of ids.entries()) {
    const label = parameters[Math.min(index, parameters.length - 1)]?.label ?? "id";
    assertPathId(`<${label}>`, id);
  }
  const fixed = ids.slice(0, Math.max(0, parameters.length - 1));
  const last = [...new Set(ids.slice(fixed.length))];
  const named = (values: readonly string[]): Record<string, string> =>
    Object.fromEntries(parameters.map(({ name }, index) => [name, values[index] ?? ""]));
  return last.length > 0 ? last.map((id) => named([...fixed, id])) : [named([])];
};
