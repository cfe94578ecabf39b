import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { systemErrorCode } from "../errors/platform-error.js";

/** Identifies a process across restarts. A process id alone is not enough, because the system reuses it. */
export interface ProcessIdentity {
  pid: number;
  /** Start time as the system formats it; null when unknown. */
  started: string | null;
}

export const ownIdentity = async (): Promise<ProcessIdentity> => ({
  pid: process.pid,
  started: await startOf(process.pid),
});

export const isAlive = async ({ pid, started }: ProcessIdentity): Promise<boolean> => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemErrorCode(error) !== "EPERM") return false;
  }
  return started === null || started === (await startOf(pid));
};

const startOf = async (pid: number): Promise<string | null> => {
  try {
    if (process.platform === "linux") {
      const [stat, boot] = await Promise.all([
        readFile(`/proc/${String(pid)}/stat`, "utf8"),
        readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      ]);
      // The program name, in parentheses, may contain spaces. `starttime` is the twentieth field after it.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return `${boot.trim()} ${fields[19] ?? ""}`;
    }
    const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "lstart=", "-p", String(pid)]);
    return stdout.trim() || null;
  } catch {
    return null;
  }
};
