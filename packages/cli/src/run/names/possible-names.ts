import type { CliError } from "../../errors/cli-error.js";
import type { RequestInput } from "../../input/read-input.js";
import { getAtPath } from "../../json/json-path.js";
import type { Field, GeneratedCommand } from "../../contract/generated-command.js";
import { mightBeName, type NameableType, getNameableTypeByPrefix } from "../../contract/nameable-types.js";

/** The values of an operation that may be names: its ids, and the fields of its query and body. */
export interface NamedRequest {
  readonly ids: readonly string[];
  readonly input: RequestInput;
}

/** The same values with ids instead of names. */
export interface ResolvedRequest extends NamedRequest {
  /** The ids, of several, that are names of nothing, and why. */
  readonly unknownNameErrors: ReadonlyMap<string, CliError>;
}

/** Returns whether an id argument or a field may be a name. */
export const mightHaveNames = (definition: GeneratedCommand, { ids, input }: NamedRequest): boolean =>
  ids.some((id, index) => getArgumentType(definition, index) && mightBeName(id)) ||
  listIdFields(definition).some((field) => mightBeResourceName(field, getInputValue(input, field)));

/** Returns whether the value of a field that takes an id may be the name of a resource instead. */
export const mightBeResourceName = ({ prefix }: Field, value: unknown): value is string =>
  typeof value === "string" &&
  mightBeName(value) &&
  // Branch filters select with this the resources that are on no branch.
  !(value === "unassigned" && getNameableTypeByPrefix(prefix) === "branch");

/** Returns the value of a field of the query or the body. */
export const getInputValue = ({ query, body }: RequestInput, { path }: Field): unknown =>
  getAtPath(body, path) ?? getAtPath(query, path);

/** Returns the type of the resource that an argument identifies, if it can be named. */
export const getArgumentType = (
  { arguments: parameters }: GeneratedCommand,
  index: number,
): NameableType | undefined =>
  getNameableTypeByPrefix(parameters[Math.min(index, parameters.length - 1)]?.prefix);

/**
 * Returns the fields of a command that accept an id or a name. The field of the project comes first, because other names are looked up in
 * the project.
 */
export const listIdFields = ({ query, body }: GeneratedCommand): Field[] => {
  const getProjectRank = ({ prefix }: Field): number =>
    getNameableTypeByPrefix(prefix) === "project" ? 0 : 1;
  return [...query, ...(body?.fields ?? [])]
    .filter(({ prefix }) => getNameableTypeByPrefix(prefix))
    .sort((left, right) => getProjectRank(left) - getProjectRank(right));
};
