import { isDeepStrictEqual } from "node:util";
import { type Adoption, adoptionsIn } from "./adopt.js";
import { invalidManifest } from "../errors/manifest-errors.js";
import { isObject } from "../json/json-path.js";
import {
  type Address,
  depthOf,
  type Entry,
  type ExistingEntry,
  keyOf,
  managedResource,
  nameOf,
} from "./entry.js";
import type { Manifest, PlaceOf } from "./read-manifest.js";
import { assertReferences, referencesIn } from "./references.js";
import type { State, UnnamedResource } from "./read-state.js";
import { selectTargets } from "./targets.js";

/** One request that applying a plan sends. */
export type Step = CreateStep | UpdateStep | DeleteStep;

export interface CreateStep extends Address {
  readonly action: "create";
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface UpdateStep extends Address {
  readonly action: "update";
  readonly id: string;
  readonly changes: readonly Change[];
}

interface Change {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

export interface DeleteStep extends Address {
  readonly action: "delete";
  readonly id: string;
}

export interface Plan {
  readonly version: 1;
  /** Address of the service. */
  readonly baseUrl: string;
  /** Keys of the projects that were read. */
  readonly projects: readonly string[];
  /** The entries that adopt a resource without a logical id. */
  readonly adoptions: readonly Adoption[];
  /** In the order in which they are applied. */
  readonly steps: readonly Step[];
  /** What the plan cannot change. */
  readonly warnings: readonly string[];
  /** What the service had. The plan is applied only if it still has the same. */
  readonly read: readonly ExistingEntry[];
}

/** The branch that every project is created with. */
const initialBranch = "main";

/** Values of inputs that the service replaces by another value. */
const resolvedByService: readonly unknown[] = ["inherit"];

export interface PlanOptions {
  /** Address of the service. */
  readonly baseUrl: string;
  /** Whether to delete resources that are not in the manifest. */
  readonly prune: boolean;
  /** Names of the entries to plan for. Default: all. */
  readonly targets?: readonly string[] | undefined;
}

/** Compares a manifest with the resources of the service. Throws `manifest:invalid` for a reference to nothing. */
export const makePlan = (
  { entries: desired, placeOf }: Manifest,
  state: State,
  { baseUrl, prune, targets }: PlanOptions,
): Plan => {
  const targeted = targets && selectTargets(desired, state, targets);
  const existing = new Map(state.entries.map((entry) => [keyOf(entry), entry]));
  const warnings: string[] = [];
  const creates: CreateStep[] = [];
  const updates: UpdateStep[] = [];
  for (const entry of targeted?.entries ?? desired) {
    const existingEntry = existing.get(keyOf(entry));
    if (existingEntry) {
      const step = updateOf(entry, existingEntry, warnings);
      if (step) updates.push(step);
    } else if (!comesWithProject(entry)) {
      creates.push({ action: "create", resource: entry.resource, path: entry.path, fields: entry.fields });
    }
  }
  assertReferences(creates, [...creates, ...state.entries], placeOf);
  const deletes = prune ? prunedBy(desired, state, warnings, targeted?.includes) : [];
  return {
    version: 1,
    baseUrl,
    projects: desired.filter(({ path }) => path.length === 1).map(({ path }) => path[0] ?? ""),
    adoptions: adoptionsIn(desired),
    steps: [...inOrder(creates, placeOf), ...updates, ...deletes],
    warnings,
    read: state.entries,
  };
};

/** Whether the resource exists as soon as its project does. */
export const comesWithProject = ({ resource, path }: Address): boolean =>
  resource === "branch" && path.at(-1) === initialBranch;

const updateOf = (entry: Entry, existing: ExistingEntry, warnings: string[]): UpdateStep | undefined => {
  const changes = managedResource(entry.resource).fields.flatMap(({ input, property, mutable }): Change[] => {
    const [from, to] = [existing.fields[input], entry.fields[input]];
    if (to === undefined || property === undefined || isDeepStrictEqual(from, to)) return [];
    if (mutable) return [{ field: input, from, to }];
    // The source of a database says nothing about the contents that it should have now.
    if (!isObject(to) && !resolvedByService.includes(to)) {
      warnings.push(
        `${nameOf(entry)}: ${input} is ${JSON.stringify(from)} and cannot be changed to ${JSON.stringify(to)}`,
      );
    }
    return [];
  });
  const { resource, path } = entry;
  const { identity } = managedResource(resource);
  if (existing.isAdopted && identity.mutable) {
    changes.unshift({ field: identity.input, from: null, to: path.at(-1) });
  }
  return changes.length === 0 ? undefined : { action: "update", resource, path, id: existing.id, changes };
};

/** Orders the resources to create: containers first, and each after those that it refers to. */
const inOrder = (creates: readonly CreateStep[], placeOf: PlaceOf): CreateStep[] => {
  let waiting = [...creates].sort((a, b) => depthOf(a.resource) - depthOf(b.resource));
  const ordered: CreateStep[] = [];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(keyOf));
    const ready = waiting.filter((step) =>
      referencesIn(step.fields, step).every((reference) => !names.has(keyOf(reference))),
    );
    const [first] = waiting;
    if (ready.length === 0 && first) {
      throw invalidManifest([
        `${placeOf(first)}: these entries refer to each other: ${waiting.map(nameOf).join(", ")}`,
      ]);
    }
    ordered.push(...ready);
    waiting = waiting.filter((step) => !ready.includes(step));
  }
  return ordered;
};

/** Returns the resources in projects of the manifest that are not in it. Projects themselves are never deleted. */
const prunedBy = (
  desired: readonly Entry[],
  state: State,
  warnings: string[],
  includes: (entry: ExistingEntry) => boolean = () => true,
): DeleteStep[] => {
  const wanted = new Set(desired.map(keyOf));
  const extra = state.entries
    .filter((entry) => entry.path.length > 1 && !wanted.has(keyOf(entry)) && includes(entry))
    .sort((a, b) => depthOf(b.resource) - depthOf(a.resource));
  const unnamed = (id: string): UnnamedResource[] =>
    state.unnamed.filter(({ containerId }) => containerId === id);
  const keptEntries: ExistingEntry[] = [];
  return extra.flatMap((entry): DeleteStep[] => {
    const { resource, path, id } = entry;
    const reason = reasonToKeep(entry, unnamed(id), keptEntries);
    if (reason === undefined) return [{ action: "delete", resource, path, id }];
    keptEntries.push(entry);
    warnings.push(`${nameOf(entry)} is not deleted, because ${reason}`);
    return [];
  });
};

/** Returns why the service would refuse to delete a resource. */
const reasonToKeep = (
  entry: ExistingEntry,
  [unnamed]: readonly UnnamedResource[],
  keptEntries: readonly ExistingEntry[],
): string | undefined => {
  if (entry.fields["isDefault"] === true) return "it is the default";
  if (comesWithProject(entry)) return "it is the production branch";
  if (unnamed) return `it contains the ${unnamed.resource} ${unnamed.id}`;
  const inside = keptEntries.find(
    ({ resource, path }) =>
      managedResource(resource).container === entry.resource &&
      isDeepStrictEqual(path.slice(0, -1), entry.path),
  );
  return inside && `it contains the ${nameOf(inside)}`;
};

/** Returns the differences between the service and the state that a plan has read, as sentences. */
export const changesSince = (plan: Plan, state: State): string[] => {
  const before = new Map(plan.read.map((entry) => [keyOf(entry), entry]));
  const after = new Map(state.entries.map((entry) => [keyOf(entry), entry]));
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, entry]) => `${nameOf(entry)} is gone`);
  const changed = [...after].flatMap(([key, entry]) => {
    const old = before.get(key);
    if (!old) return [`${nameOf(entry)} is new`];
    if (old.id !== entry.id) return [`${nameOf(entry)} was replaced`];
    if (old.isAdopted !== entry.isAdopted) return [`${nameOf(entry)} has a logical id now`];
    return Object.keys(entry.fields)
      .filter((field) => !isDeepStrictEqual(old.fields[field], entry.fields[field]))
      .map((field) => `${field} of ${nameOf(entry)} has changed`);
  });
  return [...gone, ...changed];
};
