import { execFile } from "node:child_process";
import { readFile, readdir, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/**
 * Ends what an earlier server of this cluster has left running, where even its watchdog was killed. The caller holds
 * the lock of the data directory, so that no server of a living platform is meant.
 */
export const endLeftovers = async (directory: string): Promise<void> => {
  const hasPidFile = await stat(join(directory, "postmaster.pid")).then(
    () => true,
    () => false,
  );
  if (!hasPidFile) return;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const pids = await serversOf(directory);
    if (pids.length === 0) return;
    for (const pid of pids) signal(pid, attempt < 60 ? "SIGQUIT" : "SIGKILL");
    await sleep(50);
  }
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
};

/** Processes of Postgres in this directory: the postmaster, and children that have outlived it. */
const serversOf = async (directory: string): Promise<number[]> =>
  process.platform === "linux" ? linuxServersOf(await realpath(directory)) : postmasterOf(directory);

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

const postmasterOf = async (directory: string): Promise<number[]> => {
  const [line = ""] = (await readFile(join(directory, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  const pid = Number(line);
  if (!Number.isInteger(pid) || pid <= 1) return [];
  try {
    const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "command=", "-p", String(pid)]);
    return stdout.includes("postgres") && stdout.includes(directory) ? [pid] : [];
  } catch {
    return [];
  }
};
