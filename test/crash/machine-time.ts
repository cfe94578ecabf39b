import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Processes per processor that run on a machine which is not busy with other work. This test itself causes about two. */
const usualLoad = 2;
const interval = 100;

/** Returns by how much other programs slow this machine down at the moment; 1 on one that is not busy. */
const slowness = (): number => {
  const stat = readFileSync("/proc/stat", "utf8");
  const [running, blocked] = ["procs_running", "procs_blocked"].map((name) =>
    Number(new RegExp(`^${name} (\\d+)`, "m").exec(stat)?.[1]),
  );
  return Math.max(1, ((running ?? 0) + (blocked ?? 0)) / availableParallelism() / usualLoad);
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

/**
 * Waits for work.
 *
 * @param time that the work may take, in milliseconds of `machineTime`.
 * @param error for work that takes longer.
 */
export const within = <T>(time: number, work: Promise<T>, error: () => Error): Promise<T> =>
  new Promise((resolve, reject) => {
    const deadline = machineTime() + time;
    const timer = setInterval(() => {
      if (machineTime() >= deadline) reject(error());
    }, interval);
    void work.then(resolve, reject).finally(() => clearInterval(timer));
  });
