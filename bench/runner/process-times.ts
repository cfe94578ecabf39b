import { readFileSync, readdirSync } from "node:fs";

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** Seconds of processor time of the process and of its children that have ended. */
  readonly seconds: number;
}

/** Ticks per second in `/proc`, the same on all usual kernels. */
const ticksPerSecond = 100;

/** Whether the system has the `/proc` of Linux. */
export const hasProcessTimes = process.platform === "linux";

/** Returns the seconds of processor time that a process has used, and those of all processes below it. */
export const processorTimes = (pid: number): { own: number; descendants: number } => {
  const all = readdirSync("/proc").flatMap((name) => {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : undefined;
    return times ? [times] : [];
  });
  const below = (parent: number): ProcessTimes[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)]);
  const own = all.find((each) => each.pid === pid);
  if (!own) throw new Error(`Process ${String(pid)} has ended`);
  return { own: own.seconds, descendants: below(pid).reduce((sum, { seconds }) => sum + seconds, 0) };
};

const readTimes = (pid: number): ProcessTimes | undefined => {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
  } catch {
    // It has ended.
    return undefined;
  }
  // The name, which may contain spaces and parentheses, is followed by state, parent, and further fields: proc(5).
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [parent = 0, times] = [fields[1], fields.slice(11, 15)];
  return { pid, parent, seconds: times.reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond };
};
