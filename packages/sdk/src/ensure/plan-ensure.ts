import { TimeoutError } from "../errors/local-errors.js";
import type { RequestOptions } from "../request/call.js";
import type { WaitContext } from "../request/context.js";
import { validateTimeout } from "../deadlines/deadline.js";
import { withDeadline } from "../deadlines/with-deadline.js";
import type { Ensurable, IdentityRule } from "./ensurable.js";
import type { EnsurePlan } from "./ensure-result.js";
import { selectIdentity } from "./ensure.js";
import { type EnsureInputs, type ResourceReaders, findExisting } from "./find-existing.js";

/** Determines the change that ensuring a resource would make, with reads alone. `timeoutMs` is the deadline of all of them together. */
export const planEnsure = async <Found>(
  ensurable: Ensurable,
  inputs: EnsureInputs,
  readers: ResourceReaders,
  options: RequestOptions,
  { timers, signals }: WaitContext,
): Promise<EnsurePlan<Found>> => {
  const identity = selectIdentity(ensurable, inputs);
  const timeoutMs = validateTimeout(options.timeoutMs ?? Infinity);
  const createTimeoutError = (): TimeoutError =>
    new TimeoutError({ method: "GET", url: ensurable.list }, timeoutMs);
  const deadlineOptions = {
    signals: signals.concat(options.signal ?? []),
    timeoutMs,
    onTimeout: createTimeoutError,
    timers,
  };
  return await withDeadline(deadlineOptions, async (signal) => {
    const find = (searchedIdentity: IdentityRule): Promise<Found | undefined> =>
      findExisting<Found>(ensurable, searchedIdentity, inputs, readers, { ...options, signal }, undefined);
    const existingResource = await find(identity);
    if (existingResource) return { action: "none", resource: existingResource };
    for (const otherIdentity of ensurable.identities) {
      if (otherIdentity === identity || inputs[otherIdentity.input] === undefined) continue;
      const conflictingResource = await find(otherIdentity);
      if (conflictingResource)
        return { action: "conflict", resource: conflictingResource, property: otherIdentity.property };
    }
    return { action: "create", resource: undefined };
  });
};
