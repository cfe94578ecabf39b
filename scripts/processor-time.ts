import { readFileSync } from "node:fs";

/** Units of the times in `/proc`, per second. */
const ticks = 100;

/**
 * Returns how many seconds of processor time a process and the programs that it has started used, by its `/proc/PID/stat`. Programs count
 * when they have ended.
 */
export const secondsIn = (stat: string): number => {
  // The name of the program, in parentheses, may contain anything. The state of the process follows.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = "", system = "", usersOfOthers = "", systemOfOthers = ""] = fields.slice(11, 15);
  return (Number(user) + Number(system) + Number(usersOfOthers) + Number(systemOfOthers)) / ticks;
};

/**
 * Returns how many seconds of processor time this process and what it started have used. Unlike a duration, they do not depend on what else the machine
 * does. Linux only.
 */
export const usedSeconds = (): number => secondsIn(readFileSync("/proc/self/stat", "utf8"));
