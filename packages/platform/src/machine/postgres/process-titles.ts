import { readFile } from "node:fs/promises";
import type { ReadTitles } from "@mgmt/cluster/policy/cluster";
import { canSeeProcesses } from "./process-files.js";
import { runProgram } from "./run-program.js";

/** Returns the titles of processes on this machine by process id, except for processes that no longer exist or are hidden. */
export const readProcessTitles: ReadTitles = (pids) =>
  process.platform === "linux" ? readTitlesFromFiles(pids) : readTitlesFromPs(pids);

const readTitlesFromFiles: ReadTitles = async (pids) => {
  if (!canSeeProcesses()) return new Map();
  const titles = await Promise.all(
    pids.map(
      async (pid) => [pid, await readFile(`/proc/${String(pid)}/cmdline`, "utf8").catch(() => "")] as const,
    ),
  );
  return new Map(titles.filter(([, title]) => title !== ""));
};

/** Reads the titles of processes with the program `ps`, as macOS has no `/proc`. */
export const readTitlesFromPs: ReadTitles = async (pids) => {
  // Without `-ww`, macOS shortens the lines.
  const { stdout } = await runProgram("/bin/ps", [
    "-ww",
    "-o",
    "pid=",
    "-o",
    "command=",
    "-p",
    pids.join(","),
  ]);
  return new Map(
    [...stdout.matchAll(/^ *(\d+) (.+)$/gm)].map(([, pid, title = ""]) => [Number(pid), title] as const),
  );
};
