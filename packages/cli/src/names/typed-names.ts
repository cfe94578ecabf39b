import type { TypedValues } from "../input/read-input.js";
import type { Field, OperationCommand } from "../operations/row.js";
import { namedKindOf, mayBeName, type NamedKind } from "./id-form.js";

export interface Typed {
  readonly ids: readonly string[];
  readonly typed: TypedValues;
}

/** Whether an id argument or flag of a command line may be a name. */
export const hasNames = (row: OperationCommand, { ids, typed }: Typed): boolean =>
  ids.some((id, index) => kindAt(row, index) && mayBeName(id)) ||
  idFields(row).some(({ flag }) => isName(typed.flags[flag]));

export const isName = (value: string | boolean | undefined): value is string =>
  typeof value === "string" && mayBeName(value);

/** Returns the kind of the resource that an argument identifies, if it can be named. */
export const kindAt = ({ arguments: parameters }: OperationCommand, index: number): NamedKind | undefined =>
  namedKindOf(parameters[Math.min(index, parameters.length - 1)]?.prefix);

/** The flags that accept an id or a name, that of the project first. */
export const idFields = ({ query, body }: OperationCommand): Field[] => {
  const isProject = ({ prefix }: Field): number => (namedKindOf(prefix) === "project" ? 0 : 1);
  return [...query, ...(body?.fields ?? [])]
    .filter(({ prefix }) => namedKindOf(prefix))
    .sort((a, b) => isProject(a) - isProject(b));
};
