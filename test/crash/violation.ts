import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Thrown when the platform broke a promise. Ends the run. */
export class Violation extends Error {}

/** Processes per processor that run on a machine which is not busy with other work. This test itself causes about two. */
const usualLoad = 2;
const interval = 100;

/** Returns by how much other programs slow this machine down at the moment; 1 on one that is not busy. */
const slowness = (): number => {
  const stat = readFileSync("/proc/stat", "utf8");
  const [running = 0, blocked = 0] = ["procs_running", "procs_blocked"].map((name) =>
    Number(new RegExp(`^${name} (\\d+)`, "m").exec(stat)?.[1]),
  );
  return Math.max(1, (running + blocked) / availableParallelism() / usualLoad);
};

let passed = 0;
let sampledAt = performance.now();

/**
 * Returns milliseconds that pass more slowly while other programs keep this machine busy, so that a deadline is only exceeded by
 * a defect.
 */
export const machineTime = (): number => {
  const now = performance.now();
  passed += (now - sampledAt) / slowness();
  sampledAt = now;
  return passed;
};

setInterval(machineTime, interval).unref();

/** Waits for work. Throws a Violation with the message when it takes more milliseconds of `machineTime`. */
export const within = <T>(time: number, work: Promise<T>, message: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const deadline = machineTime() + time;
    const timer = setInterval(() => {
      if (machineTime() >= deadline) reject(new Violation(`${message} after ${String(time)} ms`));
    }, interval);
    void work.then(resolve, reject).finally(() => clearInterval(timer));
  });

/** Time that the platform has to return to a correct state, in milliseconds. Only a defect exceeds it. */
const patience = 120_000;

/** Time after which a wait says what it waits for, in milliseconds. */
const reportInterval = 15_000;

/**
 * Repeats the observation until it finds nothing wrong.
 *
 * @param observe returns what is wrong, or undefined. A thrown error counts as wrong, except a Violation.
 */
export const eventually = async (what: string, observe: () => Promise<string | undefined>): Promise<void> => {
  let wrong: string | undefined;
  let reportAt = performance.now() + reportInterval;
  for (const deadline = machineTime() + patience; machineTime() < deadline; await sleep(50)) {
    if (performance.now() >= reportAt) {
      console.log(`Still waiting. ${what}: ${wrong ?? ""}`);
      reportAt += reportInterval;
    }
    try {
      wrong = await observe();
      if (wrong === undefined) return;
    } catch (error) {
      if (error instanceof Violation) throw error;
      wrong = String(error);
    }
  }
  throw new Violation(`${what}: ${wrong ?? ""}`);
};
