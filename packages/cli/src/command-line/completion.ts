import { idPrefixes } from "../contract/generated/id-prefixes.js";
import type { NamedKind } from "../contract/id-form.js";

/** An argument that a shell completes. */
export interface PartialArgument {
  /** The arguments before it. */
  readonly earlierArguments: readonly string[];
  /** The beginning of the argument that is typed already. */
  readonly currentWord: string;
  /** Returns the names and ids of resources that are known, or that the service returns quickly. */
  readonly listResources: (kind: NamedKind) => Promise<readonly string[]>;
  readonly listProfiles: () => readonly string[];
}

/** Returns what an argument can become. Values that do not start with what is typed are left out later. */
export type CompleteArgument = (argument: PartialArgument) => readonly string[] | Promise<readonly string[]>;

/** Completes the ids of one kind, for an argument that accepts no names. */
export const completeIds =
  (kind: NamedKind): CompleteArgument =>
  async ({ earlierArguments, listResources }) =>
    earlierArguments.length === 0 ? filterIds(kind, await listResources(kind)) : [];

/** Completes the names and ids of one kind, for the first arguments. */
export const completeNames =
  (kind: NamedKind, maxArguments = 1): CompleteArgument =>
  ({ earlierArguments, listResources }) =>
    earlierArguments.length < maxArguments ? listResources(kind) : [];

/** Returns the ids among names and ids of resources. */
export const filterIds = (kind: NamedKind, values: readonly string[]): string[] =>
  values.filter((value) => value.startsWith(idPrefixes[kind]));
