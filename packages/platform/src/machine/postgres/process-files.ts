import { existsSync, readlinkSync } from "node:fs";
import { readFile, readdir, readlink } from "node:fs/promises";

/** Returns whether processes are visible as files in `/proc`. A sandbox or a container may hide them. */
export const hasProcessFiles = (): boolean => existsSync("/proc/self/cwd");

/**
 * Returns whether this process can identify other processes. If not, Postgres refuses to start beside a server of its directory. The files
 * may come from another namespace, in which the same ids identify other processes.
 */
export const canSeeProcesses = (): boolean =>
  process.platform !== "linux" || (hasProcessFiles() && readlinkSync("/proc/self") === String(process.pid));

/**
 * Returns the ids of the processes whose working directory is a directory, as it is for the processes of Postgres and their data
 * directory. Linux only. Returns none if this process cannot identify other processes.
 *
 * @param directory an absolute path without symbolic links.
 * @param namePattern matches the name of a process, the first 15 characters of the name of its program, in `/proc/PID/comm`:
 *   https://man7.org/linux/man-pages/man5/proc_pid_comm.5.html
 */
export const findProcessesInDirectory = async (directory: string, namePattern: RegExp): Promise<number[]> => {
  if (!canSeeProcesses()) return [];
  const pidNames = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const pids = await Promise.all(
    pidNames.map(async (name) => {
      try {
        if ((await readlink(`/proc/${name}/cwd`)) !== directory) return undefined;
        return namePattern.test(await readFile(`/proc/${name}/comm`, "utf8")) ? Number(name) : undefined;
      } catch {
        return undefined;
      }
    }),
  );
  return pids.filter((pid) => pid !== undefined);
};
