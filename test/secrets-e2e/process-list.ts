import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";

/** Returns the command lines of all processes, which every user of the machine can read (unlike their environments). */
export const processList = (): string[] => {
  if (!existsSync("/proc/self/cmdline")) {
    return execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" }).split("\n");
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return ""; // It has just exited.
      }
    });
};

/** Polls the process list until stopped; `stop` returns every command line seen. */
export const watchProcesses = (): { stop: () => string[] } => {
  const seen = new Set<string>();
  const poll = (): void => processList().forEach((line) => seen.add(line));
  poll();
  const timer = setInterval(poll, 25);
  return {
    stop() {
      clearInterval(timer);
      poll();
      return [...seen];
    },
  };
};
