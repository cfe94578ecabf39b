import { TimeoutError } from "../errors/local-errors.js";
import type { RequestOptions } from "../request/call.js";
import type { Waiting } from "../request/context.js";
import { readTimeout } from "../deadlines/deadline.js";
import { withDeadline } from "../deadlines/with-deadline.js";
import type { Ensurable, Identity } from "./ensurable.js";
import type { EnsurePlan } from "./ensure-result.js";
import { checkedIdentity } from "./ensure.js";
import { type Inputs, type Readers, findExisting } from "./find-existing.js";

/** Determines the change that ensuring a resource would make, with reads alone. `timeoutMs` is the deadline of all of them together. */
export const planEnsure = async <Found>(
  ensurable: Ensurable,
  inputs: Inputs,
  readers: Readers,
  options: RequestOptions,
  { timers, signals }: Waiting,
): Promise<EnsurePlan<Found>> => {
  const identity = checkedIdentity(ensurable, inputs);
  const timeoutMs = readTimeout(options.timeoutMs ?? Infinity);
  const timedOut = (): TimeoutError => new TimeoutError({ method: "GET", url: ensurable.list }, timeoutMs);
  const limits = { signals: signals.concat(options.signal ?? []), timeoutMs, timedOut, timers };
  return await withDeadline(limits, async (signal) => {
    const find = (by: Identity): Promise<Found | undefined> =>
      findExisting<Found>(ensurable, by, inputs, readers, { ...options, signal }, undefined);
    const existing = await find(identity);
    if (existing) return { action: "none", resource: existing };
    for (const other of ensurable.identities) {
      if (other === identity || inputs[other.input] === undefined) continue;
      const conflicting = await find(other);
      if (conflicting) return { action: "conflict", resource: conflicting, property: other.property };
    }
    return { action: "create", resource: undefined };
  });
};
