import { idPrefixes } from "../contract/generated/id-prefixes.js";
import type { NamedKind } from "../contract/id-form.js";

/** An argument that a shell completes. */
export interface PartialArgument {
  /** The arguments before it. */
  readonly typed: readonly string[];
  /** The beginning of the argument that is typed already. */
  readonly current: string;
  /** Returns the names and ids of resources that are known, or that the service returns quickly. */
  readonly resources: (kind: NamedKind) => Promise<readonly string[]>;
  readonly profiles: () => readonly string[];
}

/** Returns what an argument can become. Values that do not start with what is typed are left out later. */
export type CompleteArgument = (argument: PartialArgument) => readonly string[] | Promise<readonly string[]>;

/** Completes the ids of one kind, for an argument that accepts no names. */
export const completeIds =
  (kind: NamedKind): CompleteArgument =>
  async ({ typed, resources }) =>
    typed.length === 0 ? onlyIds(kind, await resources(kind)) : [];

/** Completes the names and ids of one kind, for the first arguments. */
export const completeNames =
  (kind: NamedKind, count = 1): CompleteArgument =>
  ({ typed, resources }) =>
    typed.length < count ? resources(kind) : [];

/** Returns the ids among names and ids of resources. */
export const onlyIds = (kind: NamedKind, values: readonly string[]): string[] =>
  values.filter((value) => value.startsWith(idPrefixes[kind]));
