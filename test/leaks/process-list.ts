import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";

/** The command lines of all processes, which every user of the machine may read. Environments only their owner may. */
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
        return ""; // It has just ended.
      }
    });
};

/** Looks at the process list again and again until it is stopped; gives every command line that it has seen. */
export const watchProcesses = (): { stop: () => string[] } => {
  const seen = new Set<string>();
  const look = (): void => processList().forEach((line) => seen.add(line));
  look();
  const timer = setInterval(look, 25);
  return {
    stop() {
      clearInterval(timer);
      look();
      return [...seen];
    },
  };
};
