import { idPrefixes } from "../contract/generated/id-prefixes.js";
import type { NameableType } from "../contract/nameable-types.js";

/** An argument of which the user has typed a part, and which a shell completes. */
export interface ArgumentToComplete {
  /** The arguments before it. */
  readonly earlierArguments: readonly string[];
  /** The characters of the argument that the user has typed so far. */
  readonly currentWord: string;
  /** Returns the names and ids of resources that are known, or that the service returns quickly. */
  readonly listResources: (resourceType: NameableType) => Promise<readonly string[]>;
  readonly listProfiles: () => readonly string[];
}

/** Returns the values that an argument can have. The caller leaves out values that do not start with the typed characters. */
export type CompleteArgument = (
  argument: ArgumentToComplete,
) => readonly string[] | Promise<readonly string[]>;

/** Completes the ids of one resource type, for an argument that accepts no names. */
export const completeIds =
  (resourceType: NameableType): CompleteArgument =>
  async ({ earlierArguments, listResources }) =>
    earlierArguments.length === 0 ? filterIds(resourceType, await listResources(resourceType)) : [];

/** Completes the names and ids of one resource type, for the first arguments. */
export const completeNames =
  (resourceType: NameableType, maxArguments = 1): CompleteArgument =>
  ({ earlierArguments, listResources }) =>
    earlierArguments.length < maxArguments ? listResources(resourceType) : [];

/** Returns the ids among names and ids of resources. */
export const filterIds = (resourceType: NameableType, idsAndNames: readonly string[]): string[] =>
  idsAndNames.filter((idOrName) => idOrName.startsWith(idPrefixes[resourceType]));
