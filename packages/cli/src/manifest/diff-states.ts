import { isDeepStrictEqual } from "node:util";
import { isObject } from "../json/json-path.js";
import { type ExistingEntry, toAddressKey } from "./entry.js";
import type { Step } from "./plan.js";
import type { ServiceState } from "./read-state.js";

/** The changes between two states of a service, or the differences between two services. */
export interface StateDifference {
  /** The changes of resources that a manifest can contain, as the steps of a plan. */
  readonly steps: readonly Step[];
  /** How many more resources without a logical id there are, by resource type. Negative if there are fewer. */
  readonly unnamed: Readonly<Record<string, number>>;
}

/** Compares the contents of two states, without the ids that the service assigns. */
export const diffStates = (before: ServiceState, after: ServiceState): StateDifference => {
  const previousByKey = new Map(before.entries.map((entry) => [toAddressKey(entry), entry]));
  const remainingKeys = new Set(after.entries.map(toAddressKey));
  const createSteps: Step[] = [];
  const updateSteps: Step[] = [];
  for (const entry of after.entries) {
    const previousEntry = previousByKey.get(toAddressKey(entry));
    const { resource, path, id } = entry;
    if (!previousEntry) {
      createSteps.push({ action: "create", resource, path, fields: selectComparableFields(entry) });
      continue;
    }
    const [from, to] = [selectComparableFields(previousEntry), selectComparableFields(entry)];
    const changes = Object.keys({ ...from, ...to })
      .filter((field) => !isDeepStrictEqual(from[field], to[field]))
      .map((field) => ({ field, from: from[field], to: to[field] }));
    if (changes.length > 0) updateSteps.push({ action: "update", resource, path, id, changes });
  }
  const deleteSteps = before.entries
    .filter((entry) => !remainingKeys.has(toAddressKey(entry)))
    .reverse()
    .map(({ resource, path, id }): Step => ({ action: "delete", resource, path, id }));
  return {
    steps: [...createSteps, ...updateSteps, ...deleteSteps],
    unnamed: countUnnamedDifference(before, after),
  };
};

/** Returns whether a comparison has found no difference. */
export const isUnchanged = ({ steps, unnamed }: StateDifference): boolean =>
  steps.length === 0 && Object.keys(unnamed).length === 0;

/** Returns the fields of an entry without those that contain ids, such as the source of a database. */
const selectComparableFields = ({ fields }: ExistingEntry): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && !isObject(value)));

const countUnnamedDifference = (before: ServiceState, after: ServiceState): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { resource } of after.unnamed) counts[resource] = (counts[resource] ?? 0) + 1;
  for (const { resource } of before.unnamed) counts[resource] = (counts[resource] ?? 0) - 1;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
};
