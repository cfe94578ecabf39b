import type { Random } from "./random.js";
import { steps } from "./steps.js";

/** Processes that a kill ends. `startup` is the process that repairs the files after a backend was killed. */
export const processes = ["platform", "postmaster", "backend", "startup", "watchdog"] as const;

export type Victim = (typeof processes)[number];

/**
 * What else a round does. `frozen` suspends Postgres first, `terminate` is an orderly end, `first start` kills a platform that
 * creates another data directory. On a
 * `full disk`, Postgres does not start. After `platform alone`, the watchdog has time to end Postgres.
 */
export const events = [
  "platform alone",
  "suspended watchdog and platform",
  "all",
  "restart",
  "first start",
  "frozen platform",
  "frozen, then terminate",
  "terminate",
  "postmaster on a full disk",
  "platform on a full disk",
] as const;

export type Event = (typeof events)[number];

export interface KillPlan {
  /** One process, or two, which are killed in this order; or another event. */
  what: readonly Victim[] | Event;
  /** Name of the step that the platform has reached; undefined for a random moment. */
  step: string | undefined;
  /** Milliseconds until the kill, without a step. */
  after: number;
  /** How long the load goes on after the kill, in milliseconds. */
  load: number;
  /** Another kill while the load goes on. */
  second: { what: readonly Victim[]; after: number } | undefined;
}

const eventShare = 0.2;
const pairShare = 0.4;
const secondShare = 0.3;
const maxLoad = 4_000;

const pickProcesses = (random: Random): Victim[] => {
  const first = random.pick(processes);
  return random.next() < pairShare
    ? [first, random.pick(processes.filter((each) => each !== first))]
    : [first];
};

/** @param index Number of the kill. Every second one is at a step, and these take the steps in turn. */
export const planKill = (random: Random, index: number): KillPlan => {
  const what = random.next() < eventShare ? random.pick(events) : pickProcesses(random);
  const step = index % 2 === 1 ? steps[((index - 1) / 2) % steps.length]?.name : undefined;
  const load = random.below(maxLoad);
  const hasSecond = random.next() < secondShare;
  return {
    what,
    step,
    after: random.below(600),
    load,
    second: hasSecond ? { what: pickProcesses(random), after: random.below(load + 1) } : undefined,
  };
};

export const describeVictims = (what: KillPlan["what"]): string =>
  typeof what === "string" ? what : what.join(" and ");

export const describeKill = ({ what, step, after, second }: KillPlan): string => {
  const moment = step === undefined ? `after ${String(after)} ms` : `before it can ${step}`;
  const again = second && `, then ${describeVictims(second.what)} after ${String(second.after)} ms`;
  return `kill ${describeVictims(what)} ${moment}${again ?? ""}`;
};
