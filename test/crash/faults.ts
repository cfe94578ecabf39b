import { once } from "node:events";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import {
  commandLine,
  descendantsOf,
  killAll,
  postmasterPid,
  processTitled,
  running,
  signalAll,
} from "../../packages/platform/test/processes.js";
import { type WrappedPrograms, failsWithFullDisk } from "../../packages/platform/test/wrapped-programs.js";
import { clockOffsets } from "./moved-clock.js";
import type { MgmtDev } from "./mgmt-dev.js";
import type { Random } from "./random.js";
import { steps } from "./steps.js";
import { Violation, eventually } from "./violation.js";

/** The platform that faults are caused in, with the programs of Postgres and the file that moves its clock. */
export interface Target {
  dev: MgmtDev;
  programs: WrappedPrograms;
  clock: string;
}

const watchdogsOf = ({ pid }: MgmtDev): number[] =>
  pid === undefined ? [] : descendantsOf(pid).filter((child) => commandLine(child).includes("mgmt-watchdog"));

const titled = async (dev: MgmtDev, text: string): Promise<number[]> => {
  const pid = processTitled(await realpath(dev.cluster), text);
  return pid === undefined ? [] : [pid];
};

/** How long a recovery of Postgres may take to begin, in milliseconds. */
const recoveryPatience = 2_000;

/** The processes that kills end, by how to find those that there are. `backend` is the one that waits at a step. */
const victims = {
  platform: ({ pid }: MgmtDev) => (pid === undefined ? [] : [pid]),
  watchdog: watchdogsOf,
  postmaster: async (dev: MgmtDev) => {
    const pid = await postmasterPid(dev.cluster).catch(() => 0);
    // The number may have been given to another program.
    return commandLine(pid).includes("postgres") ? [pid] : [];
  },
  backend: (dev: MgmtDev, backend?: number) => (backend === undefined ? titled(dev, "[local]") : [backend]),
  /** The process that repairs the files after a backend was killed. */
  startup: async (dev: MgmtDev, backend?: number): Promise<number[]> => {
    let pids = await titled(dev, "postgres: startup");
    if (pids.length === 0) killAll(await victims.backend(dev, backend));
    for (const deadline = Date.now() + recoveryPatience; pids.length === 0 && Date.now() < deadline;) {
      await sleep(5);
      pids = await titled(dev, "postgres: startup");
    }
    return pids;
  },
};

export type Victim = keyof typeof victims;

/** Kills the processes, each as soon as the one before has got the signal. */
export const kill = async (dev: MgmtDev, names: readonly Victim[], backend?: number): Promise<void> => {
  for (const name of names) killAll(await victims[name](dev, backend));
};

/** Waits until the platform has ended, and its processes, which the watchdog ends. */
const leavesNothing = async (dev: MgmtDev, pids: readonly number[]): Promise<void> => {
  await eventually("Processes are left", async () => running(pids).map(commandLine).join("; ") || undefined);
  await dev.ended();
};

/** Sends a signal to the platform alone. Waits until nothing of it is left. */
const endPlatform = ({ dev }: Target, signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
  const pids = [dev.ready.pid, ...descendantsOf(dev.ready.pid)];
  signalAll([dev.ready.pid], signal);
  return leavesNothing(dev, pids);
};

const killEverything = async ({ dev }: Target): Promise<void> => {
  dev.killEverything();
  await dev.ended();
};

/** Suspends processes. Returns what continues those that have not ended. */
const suspend = (pids: readonly number[]) => {
  signalAll(pids, "SIGSTOP");
  return (): void => signalAll(running(pids), "SIGCONT");
};

const withFullDisk = async ({ programs }: Target, work: () => Promise<void>): Promise<void> => {
  await programs.insert(failsWithFullDisk);
  await work().finally(() => programs.restore());
};

/** Returns what to do when the API is available again. */
type Undo = () => void;

/** What else can happen. The platform is not started again before such an event is over. */
const events = {
  "platform alone": (target: Target) => endPlatform(target),
  terminate: (target: Target) => endPlatform(target, "SIGTERM"),
  all: killEverything,
  restart: async ({ dev }: Target, after: number) => {
    killAll([dev.ready.pid]);
    await dev.ended();
    const { child } = await dev.launch();
    const ended = once(child, "exit");
    await sleep(after * 2);
    child.kill("SIGKILL");
    await ended;
  },
  "postmaster on a full disk": (target: Target) =>
    withFullDisk(target, async () => {
      const { dev, programs } = target;
      const starts = async () =>
        (await readFile(programs.calls, "utf8")).match(/^postgres -D/gm)?.length ?? 0;
      const before = await starts();
      await kill(dev, ["postmaster"]);
      await eventually("Postgres is not started again", async () =>
        (await starts()) - before > 1 ? undefined : "it was started once",
      );
      const { status } = await dev.call(dev.tokens[0], "GET", "/v1/projects");
      if (status !== 503) throw new Violation(`On a full disk, the API responded with ${String(status)}`);
    }),
  "platform on a full disk": async (target: Target) => {
    await endPlatform(target);
    await withFullDisk(target, async () => {
      const text = await (await target.dev.launch()).line;
      if (!text.includes("platform:disk_full"))
        throw new Violation(`On a full disk, a start printed ${text}`);
    });
  },
  "suspended postmaster": async ({ dev }: Target): Promise<Undo> => suspend(await victims.postmaster(dev)),
  "suspended backend": async ({ dev }: Target): Promise<Undo> => suspend(await victims.backend(dev)),
  "suspended platform": async ({ dev }: Target, after: number) => {
    const undo = suspend([dev.ready.pid]);
    await sleep(after * 10);
    undo();
  },
  "moved clock": async ({ dev, clock }: Target, after: number) => {
    await writeFile(clock, String(clockOffsets[after % clockOffsets.length]));
    // Tokens of users expire.
    await dev.prepare();
  },
} satisfies Record<string, (target: Target, after: number) => Promise<void | Undo>>;

export type Event = keyof typeof events;

/** Causes an event. Returns what to do when the API is available again. */
export const cause = async (name: Event, target: Target, after: number): Promise<Undo> => {
  const undo = await events[name](target, after);
  return undo ?? (() => undefined);
};

export interface Fault {
  /** One process to kill, or two, in this order; or an event. */
  what: readonly Victim[] | Event;
  /** Name of the step that the platform has reached; undefined for a random moment. */
  step: string | undefined;
  /** Milliseconds until a fault without a step, and for events that last. */
  after: number;
  /** How long the load goes on afterwards, in milliseconds. */
  load: number;
  /** Another kill while the load goes on. */
  second: { what: readonly Victim[]; after: number } | undefined;
}

// The names of constant objects are their keys.
const victimNames = Object.keys(victims) as Victim[];
const eventNames = Object.keys(events) as Event[];

const pickVictims = (random: Random): Victim[] => {
  const first = random.pick(victimNames);
  return random.chance(40) ? [first, random.pick(victimNames.filter((name) => name !== first))] : [first];
};

/** @param index number of the fault. Every second one is at a step, and these take the steps in turn. */
export const planFault = (random: Random, index: number): Fault => {
  const load = random.below(4_000);
  return {
    what: random.chance(25) ? random.pick(eventNames) : pickVictims(random),
    step: index % 2 === 1 ? steps[((index - 1) / 2) % steps.length]?.name : undefined,
    after: random.below(600),
    load,
    second: random.chance(30) ? { what: pickVictims(random), after: random.below(load + 1) } : undefined,
  };
};

const describeWhat = (what: Fault["what"]): string =>
  typeof what === "string" ? what : `kill ${what.join(" and ")}`;

export const describeFault = ({ what, step, after, second }: Fault): string => {
  const moment = step === undefined ? `after ${String(after)} ms` : `before it can ${step}`;
  const again = second ? `, then ${describeWhat(second.what)} after ${String(second.after)} ms` : "";
  return `${describeWhat(what)} ${moment}${again}`;
};
