import { execFile } from "node:child_process";
import { readFile, readdir, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/**
 * Ends what an earlier server of this cluster has left running, where even its watchdog was killed. The caller holds
 * the lock of the data directory, so that no server of a living platform is meant.
 */
export const endLeftovers = async (directory: string): Promise<void> => {
  const lockFile = join(directory, "postmaster.pid");
  const pid = await pidIn(lockFile);
  if (pid === undefined) return;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const servers = await serversOf(directory, pid);
    if (servers.length === 0) break;
    // The postmaster ends its server in good order; children without one have nothing left to do.
    const isInGoodOrder = servers.includes(pid) && attempt < 100;
    if (!isInGoodOrder) for (const server of servers) signal(server, attempt < 200 ? "SIGQUIT" : "SIGKILL");
    else if (attempt === 0) signal(pid, "SIGINT");
    await sleep(attempt < 10 ? 10 : 50);
  }
  // The number has become another program's: Postgres would take that for itself, and refuse to start.
  if (signal(pid, 0)) await rm(lockFile, { force: true });
};

/** @returns undefined when there is no lock file. */
const pidIn = async (lockFile: string): Promise<number | undefined> => {
  const text = await readFile(lockFile, "utf8").catch(() => undefined);
  return text === undefined ? undefined : Number.parseInt(text, 10);
};

/** Processes of Postgres in this directory: the postmaster, and children that have outlived it. */
const serversOf = async (directory: string, pid: number): Promise<number[]> =>
  process.platform === "linux" ? linuxServersOf(await realpath(directory)) : postmasterOf(directory, pid);

/** @returns whether there is such a process, of ours. */
const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return pid > 1 && process.kill(pid, name);
  } catch {
    return false;
  }
};

/** Every process of a server works in its data directory. */
const linuxServersOf = async (directory: string): Promise<number[]> => {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const pids = await Promise.all(
    names.map(async (name) => {
      try {
        if ((await readlink(`/proc/${name}/cwd`)) !== directory) return undefined;
        return (await readFile(`/proc/${name}/comm`, "utf8")).startsWith("postgres")
          ? Number(name)
          : undefined;
      } catch {
        return undefined;
      }
    }),
  );
  return pids.filter((pid) => pid !== undefined);
};

const postmasterOf = async (directory: string, pid: number): Promise<number[]> => {
  if (!(pid > 1)) return [];
  try {
    const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "command=", "-p", String(pid)]);
    return stdout.includes("postgres") && stdout.includes(directory) ? [pid] : [];
  } catch {
    return [];
  }
};
