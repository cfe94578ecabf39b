import { idPrefixes } from "../contract/generated/id-prefixes.js";
import type { NamedKind } from "../contract/id-form.js";

/** An argument of which the user has typed a part, and which a shell completes. */
export interface ArgumentToComplete {
  /** The arguments before it. */
  readonly earlierArguments: readonly string[];
  /** The characters of the argument that the user has typed so far. */
  readonly currentWord: string;
  /** Returns the names and ids of resources that are known, or that the service returns quickly. */
  readonly listResources: (kind: NamedKind) => Promise<readonly string[]>;
  readonly listProfiles: () => readonly string[];
}

/** Returns the values that an argument can have. The caller leaves out values that do not start with the typed characters. */
export type CompleteArgument = (
  argument: ArgumentToComplete,
) => readonly string[] | Promise<readonly string[]>;

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
export const filterIds = (kind: NamedKind, idsAndNames: readonly string[]): string[] =>
  idsAndNames.filter((idOrName) => idOrName.startsWith(idPrefixes[kind]));
