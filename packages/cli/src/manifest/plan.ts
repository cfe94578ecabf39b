import { isDeepStrictEqual } from "node:util";
import { type Adoption, collectAdoptions } from "./adopt.js";
import { invalidManifestError } from "../errors/manifest-errors.js";
import { isObject } from "../json/json-path.js";
import {
  type EntryAddress,
  countContainers,
  type ManifestEntry,
  type ExistingEntry,
  toAddressKey,
  getManagedResource,
  formatAddress,
} from "./entry.js";
import type { Manifest, LocateEntry } from "./read-manifest.js";
import { assertReferences, collectReferences } from "./references.js";
import type { ServiceState, UnnamedResource } from "./read-state.js";
import { selectTargets } from "./targets.js";

/** One request that applying a plan sends. */
export type Step = CreateStep | UpdateStep | DeleteStep;

/** Creates the resource of an entry. */
export interface CreateStep extends EntryAddress {
  readonly action: "create";
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Changes fields of a resource that exists. */
export interface UpdateStep extends EntryAddress {
  readonly action: "update";
  readonly id: string;
  readonly changes: readonly FieldChange[];
}

interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Deletes a resource that is not in the manifest. */
export interface DeleteStep extends EntryAddress {
  readonly action: "delete";
  readonly id: string;
}

/** The steps that make the service match a manifest, as `mgmt plan --out` stores them. */
export interface Plan {
  readonly version: 1;
  /** URL of the service. */
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
const valuesResolvedByService: readonly unknown[] = ["inherit"];

/** The actions that a plan may contain, and its service. */
export interface PlanOptions {
  /** URL of the service. */
  readonly baseUrl: string;
  /** Whether to delete resources that are not in the manifest. */
  readonly prune: boolean;
  /** Names of the entries to plan for. Default: all. */
  readonly targets?: readonly string[] | undefined;
}

/** Compares a manifest with the resources of the service. Throws `manifest:invalid` for a reference to nothing. */
export const createPlan = (
  { entries: desiredEntries, locateEntry }: Manifest,
  state: ServiceState,
  { baseUrl, prune, targets }: PlanOptions,
): Plan => {
  const selection = targets && selectTargets(desiredEntries, state, targets);
  const existingByKey = new Map(state.entries.map((entry) => [toAddressKey(entry), entry]));
  const warnings: string[] = [];
  const createSteps: CreateStep[] = [];
  const updateSteps: UpdateStep[] = [];
  for (const entry of selection?.entries ?? desiredEntries) {
    const existingEntry = existingByKey.get(toAddressKey(entry));
    if (existingEntry) {
      const step = buildUpdateStep(entry, existingEntry, warnings);
      if (step) updateSteps.push(step);
    } else if (!isCreatedWithProject(entry)) {
      createSteps.push({
        action: "create",
        resource: entry.resource,
        path: entry.path,
        fields: entry.fields,
      });
    }
  }
  assertReferences(createSteps, [...createSteps, ...state.entries], locateEntry);
  const deleteSteps = prune ? buildDeleteSteps(desiredEntries, state, warnings, selection?.includes) : [];
  return {
    version: 1,
    baseUrl,
    projects: desiredEntries.filter(({ path }) => path.length === 1).map(({ path }) => path[0] ?? ""),
    adoptions: collectAdoptions(desiredEntries),
    steps: [...orderCreateSteps(createSteps, locateEntry), ...updateSteps, ...deleteSteps],
    warnings,
    read: state.entries,
  };
};

/** Returns whether the resource exists as soon as its project does. */
export const isCreatedWithProject = ({ resource, path }: EntryAddress): boolean =>
  resource === "branch" && path.at(-1) === initialBranch;

const buildUpdateStep = (
  entry: ManifestEntry,
  existingEntry: ExistingEntry,
  warnings: string[],
): UpdateStep | undefined => {
  const changes = getManagedResource(entry.resource).fields.flatMap(
    ({ input, property, mutable }): FieldChange[] => {
      const [from, to] = [existingEntry.fields[input], entry.fields[input]];
      if (to === undefined || property === undefined || isDeepStrictEqual(from, to)) return [];
      if (mutable) return [{ field: input, from, to }];
      // The source of a database does not determine the contents that it should have now.
      if (!isObject(to) && !valuesResolvedByService.includes(to)) {
        warnings.push(
          `${formatAddress(entry)}: ${input} is ${JSON.stringify(from)} and cannot be changed to ${JSON.stringify(to)}`,
        );
      }
      return [];
    },
  );
  const { resource, path } = entry;
  const { identity } = getManagedResource(resource);
  if (existingEntry.isAdopted && identity.mutable) {
    changes.unshift({ field: identity.input, from: null, to: path.at(-1) });
  }
  return changes.length === 0
    ? undefined
    : { action: "update", resource, path, id: existingEntry.id, changes };
};

/** Orders the resources to create: containers first, and each after those that it refers to. */
const orderCreateSteps = (createSteps: readonly CreateStep[], locateEntry: LocateEntry): CreateStep[] => {
  let waitingSteps = [...createSteps].sort(
    (left, right) => countContainers(left.resource) - countContainers(right.resource),
  );
  const orderedSteps: CreateStep[] = [];
  while (waitingSteps.length > 0) {
    const waitingKeys = new Set(waitingSteps.map(toAddressKey));
    const readySteps = waitingSteps.filter((step) =>
      collectReferences(step.fields, step).every((reference) => !waitingKeys.has(toAddressKey(reference))),
    );
    const [firstWaiting] = waitingSteps;
    if (readySteps.length === 0 && firstWaiting) {
      throw invalidManifestError([
        `${locateEntry(firstWaiting)}: these entries refer to each other: ${waitingSteps.map(formatAddress).join(", ")}`,
      ]);
    }
    orderedSteps.push(...readySteps);
    waitingSteps = waitingSteps.filter((step) => !readySteps.includes(step));
  }
  return orderedSteps;
};

/** Returns the resources in projects of the manifest that are not in it. Projects themselves are never deleted. */
const buildDeleteSteps = (
  desiredEntries: readonly ManifestEntry[],
  state: ServiceState,
  warnings: string[],
  isSelected: (entry: ExistingEntry) => boolean = () => true,
): DeleteStep[] => {
  const desiredKeys = new Set(desiredEntries.map(toAddressKey));
  const extraEntries = state.entries
    .filter((entry) => entry.path.length > 1 && !desiredKeys.has(toAddressKey(entry)) && isSelected(entry))
    .sort((left, right) => countContainers(right.resource) - countContainers(left.resource));
  const listUnnamedResources = (id: string): UnnamedResource[] =>
    state.unnamed.filter(({ containerId }) => containerId === id);
  const keptEntries: ExistingEntry[] = [];
  return extraEntries.flatMap((entry): DeleteStep[] => {
    const { resource, path, id } = entry;
    const reason = findReasonToKeep(entry, listUnnamedResources(id), keptEntries);
    if (reason === undefined) return [{ action: "delete", resource, path, id }];
    keptEntries.push(entry);
    warnings.push(`${formatAddress(entry)} is not deleted, because ${reason}`);
    return [];
  });
};

/** Returns why the service would refuse to delete a resource. */
const findReasonToKeep = (
  entry: ExistingEntry,
  [unnamed]: readonly UnnamedResource[],
  keptEntries: readonly ExistingEntry[],
): string | undefined => {
  if (entry.fields["isDefault"] === true) return "it is the default";
  if (isCreatedWithProject(entry)) return "it is the production branch";
  if (unnamed?.isPreview) return `it has the preview ${unnamed.id}, which mgmt preview down deletes`;
  if (unnamed) return `it contains the ${unnamed.resource} ${unnamed.id}`;
  const keptChild = keptEntries.find(
    ({ resource, path }) =>
      getManagedResource(resource).container === entry.resource &&
      isDeepStrictEqual(path.slice(0, -1), entry.path),
  );
  return keptChild && `it contains the ${formatAddress(keptChild)}`;
};

/** Returns the differences between the service and the state that a plan has read, as sentences. */
export const describeChangesSince = (plan: Plan, state: ServiceState): string[] => {
  const entriesBefore = new Map(plan.read.map((entry) => [toAddressKey(entry), entry]));
  const entriesAfter = new Map(state.entries.map((entry) => [toAddressKey(entry), entry]));
  const removalSentences = [...entriesBefore]
    .filter(([key]) => !entriesAfter.has(key))
    .map(([, entry]) => `${formatAddress(entry)} is gone`);
  const changeSentences = [...entriesAfter].flatMap(([key, entry]) => {
    const previousEntry = entriesBefore.get(key);
    if (!previousEntry) return [`${formatAddress(entry)} is new`];
    if (previousEntry.id !== entry.id) return [`${formatAddress(entry)} was replaced`];
    if (previousEntry.isAdopted !== entry.isAdopted) return [`${formatAddress(entry)} has a logical id now`];
    return Object.keys(entry.fields)
      .filter((field) => !isDeepStrictEqual(previousEntry.fields[field], entry.fields[field]))
      .map((field) => `${field} of ${formatAddress(entry)} has changed`);
  });
  return [...removalSentences, ...changeSentences];
};
