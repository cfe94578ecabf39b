import { existsSync, readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Ends every process that was started with this home directory, also those that left their process group. */
export const endProcessesOf = async (home: string): Promise<void> => {
  for (const signal of ["SIGTERM", "SIGTERM", "SIGKILL"] as const) {
    const found = readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`HOME=${home}`);
        } catch {
          return false; // It has ended, or is another user's.
        }
      });
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(Number(pid), signal);
      } catch {
        // It has ended.
      }
    }
    for (let waits = 0; waits < 50 && found.some((pid) => existsSync(`/proc/${pid}`)); waits += 1)
      await sleep(100);
  }
};
