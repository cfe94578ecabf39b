import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

interface Listed {
  pid: number;
  parent: number;
  state: string;
}

/** Lists processes from `/proc`. Zombies are excluded, because they have ended. */
const listProcesses = (): Listed[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), parent: Number(parent), state }];
      } catch {
        return [];
      }
    })
    .filter(({ state }) => state !== "Z" && state !== "X");

/** Returns all child processes, including indirect ones. */
export const descendantsOf = (pid: number): number[] => {
  const all = listProcesses();
  const below = (parent: number): number[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each.pid, ...below(each.pid)]);
  return below(pid);
};

/** Returns the processes that are still running. */
export const running = (pids: readonly number[]): number[] => {
  const present = new Set(listProcesses().map(({ pid }) => pid));
  return pids.filter((pid) => present.has(pid));
};

/** Returns the processes that have a file open. */
export const holdersOf = (path: string): number[] =>
  listProcesses().flatMap(({ pid }) => (openFilesOf(pid).includes(path) ? [pid] : []));

const openFilesOf = (pid: number): string[] => {
  const folder = `/proc/${String(pid)}/fd`;
  try {
    return readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
  } catch {
    return [];
  }
};

export const killAll = (pids: readonly number[]): void => signalAll(pids, "SIGKILL");

/** Sends a signal to all processes that have not ended. */
export const signalAll = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) signal(pid, name);
};

/** Sends a signal to a process. Returns false when it has ended. */
export const signal = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
};

/** Returns the arguments of a process, separated by spaces; empty when it has ended. */
export const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
};

/** Returns the process of a Postgres server whose title contains the text; undefined while there is none. */
export const processTitled = (cluster: string, text: string): number | undefined =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        return readlinkSync(`/proc/${String(pid)}/cwd`) === cluster && commandLine(pid).includes(text);
      } catch {
        return false;
      }
    });

/** Returns the process id of a cluster's postmaster. Rejects while the file with it is missing or empty. */
export const postmasterPid = async (cluster: string): Promise<number> => {
  const pid = Number.parseInt(await readFile(join(cluster, "postmaster.pid"), "utf8"), 10);
  // A signal to process 0 would end the tests.
  if (Number.isNaN(pid)) throw new Error("Postgres is starting");
  return pid;
};
