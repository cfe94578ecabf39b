import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { systemErrorCode } from "../platform-error.js";

/** A process that a file can name: its number alone is soon another process's. */
export interface ProcessIdentity {
  pid: number;
  /** When it began, in the system's own words; null where the system does not tell. */
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
      // The name of the program, in parentheses, may hold spaces; `starttime` is the twentieth field after it.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return `${boot.trim()} ${fields[19] ?? ""}`;
    }
    const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "lstart=", "-p", String(pid)]);
    return stdout.trim() || null;
  } catch {
    return null;
  }
};
