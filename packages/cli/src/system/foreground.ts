import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { TerminationSignal } from "../errors/exit-codes.js";

/** The signals of Ctrl-C and Ctrl-\. */
export const keyboardSignals: readonly TerminationSignal[] = ["SIGINT", "SIGQUIT"];

/**
 * Returns whether this process is in the foreground of a terminal, which sends Ctrl-C and Ctrl-\ to all processes there. A process without
 * a terminal, or in a process group that a shell has moved to the background or a supervisor has made, is not.
 */
export const isInForeground = (): boolean => {
  // The console of Windows sends Ctrl-C to all its processes, and nothing else sends it.
  if (process.platform === "win32") return true;
  const [ownGroup, foregroundGroup] =
    process.platform === "linux" ? readGroupsFromProc() : readGroupsFromPs();
  return ownGroup !== undefined && ownGroup === foregroundGroup;
};

/** Returns the process group of this process, and the one in the foreground of its terminal. */
const readGroupsFromProc = (): readonly (string | undefined)[] => {
  try {
    // Comes after the name of the program, which is in parentheses and may contain any character.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ");
    return [fields?.[2], fields?.[5]];
  } catch {
    return [];
  }
};

const readGroupsFromPs = (): readonly (string | undefined)[] => {
  const { stdout } = spawnSync("/bin/ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], {
    encoding: "utf8",
  });
  // Null if there is no ps.
  return (stdout as string | null)?.match(/\d+/g) ?? [];
};
