import { assertPathId } from "../input/ids.js";
import { type DefaultName, isDefaultName } from "../profiles/profile.js";
import { needsConfirmation } from "./examples.js";
import { getOverride } from "../contract/command-override.js";
import type { GeneratedCommand, PathArgument } from "../contract/generated-command.js";

/**
 * Returns the default that replaces the only id of a command when it is left out. Commands that ask for confirmation have none: the user
 * must type the id of the resource to delete or move.
 */
export const findDefaultName = (definition: GeneratedCommand): DefaultName | undefined => {
  const [firstArgument, secondArgument] = definition.arguments;
  const name = `${firstArgument?.resource ?? ""}Id`;
  return !needsConfirmation(definition, getOverride(definition.id)) && !secondArgument && isDefaultName(name)
    ? name
    : undefined;
};

/** Rejects ids that would change the path of the request. */
export const assertIds = (parameters: readonly PathArgument[], ids: readonly string[]): void => {
  for (const [index, id] of ids.entries()) {
    const label = parameters[Math.min(index, parameters.length - 1)]?.label ?? "id";
    assertPathId(`<${label}>`, id);
  }
};

/** The path parameters of one request, by name. */
export type PathParameters = Readonly<Record<string, string>>;

/** The resources of one command line. */
export interface CommandTargets {
  readonly targets: readonly PathParameters[];
  /** The targets whose last id is not the name or the id of a resource, each with its error. No request is sent for them. */
  readonly unknownNameErrors: ReadonlyMap<string, Error>;
}

/** Returns path parameters by name: one set for each value of the last argument. Repeated values are ignored. */
export const expandTargets = (
  parameters: readonly PathArgument[],
  ids: readonly string[],
): PathParameters[] => {
  const parentIds = ids.slice(0, Math.max(0, parameters.length - 1));
  const lastIds = [...new Set(ids.slice(parentIds.length))];
  const toPathParameters = (values: readonly string[]): PathParameters =>
    Object.fromEntries(parameters.map(({ name }, index) => [name, values[index] ?? ""]));
  return lastIds.length > 0
    ? lastIds.map((id) => toPathParameters([...parentIds, id]))
    : [toPathParameters([])];
};
