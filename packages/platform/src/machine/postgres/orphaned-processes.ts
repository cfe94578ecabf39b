import { constants } from "node:fs";
import { open, readdir, realpath, rm } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { readRegularFile } from "../data-dir/safe-file.js";
import { PlatformError, platformErrors } from "../../errors/platform-error.js";
import { canSeeProcesses, findProcessesInDirectory } from "./process-files.js";
import { readTitlesFromPs } from "./process-titles.js";
import { removeSharedMemory } from "./shared-memory.js";

/** A step of stopping a server: a signal, and how often to check whether the server has exited. */
export interface StopPhase {
  readonly signal: "SIGINT" | "SIGQUIT" | "SIGKILL";
  readonly attempts: number;
}

/** Most servers end within the first attempts of a phase, so these follow each other faster. */
const fastAttempts = 10;
const fastPauseMs = 10;
const pauseMs = 50;

/**
 * How to stop a server, from the gentlest signal to the strongest. A phase of 100 attempts takes about 5 seconds. Meaning of the
 * signals: https://www.postgresql.org/docs/current/server-shutdown.html
 */
const stopPhases: readonly StopPhase[] = [
  // The postmaster disconnects its clients, saves all changes, and terminates its children. Children without a postmaster skip this.
  { signal: "SIGINT", attempts: 100 },
  // Every process ends immediately.
  { signal: "SIGQUIT", attempts: 100 },
  // The system kills every process.
  { signal: "SIGKILL", attempts: 100 },
];

/**
 * Stops processes of an earlier server of this cluster that survived because its watchdog was killed too. The caller must
 * hold the lock of the data directory, which proves that no running platform uses them.
 *
 * @param phases how to stop them. Default: SIGINT, SIGQUIT, and SIGKILL, about 5 seconds each.
 * @throws PlatformError `platform:data_dir_in_use` when a server of this cluster runs that this process cannot stop;
 *   `platform:data_dir_unsafe` when `postmaster.pid` cannot be read.
 */
export const stopOrphanedServers = async (directory: string, phases = stopPhases): Promise<void> => {
  const lockFile = join(directory, "postmaster.pid");
  const lockText = await readLockFile(lockFile);
  if (lockText === undefined) return;
  const pid = parsePid(lockText);
  const remainingPids = await stopServer(directory, pid, phases);
  if (remainingPids.length > 0) throw platformErrors.serverNotStopped(dirname(directory), remainingPids);
  if (await hasListener(directory, lockFile)) throw platformErrors.serverInUseElsewhere(dirname(directory));
  await removeSharedMemory(lockFile);
  // Postgres refuses to start if the lock file has no process id, because its writer was killed, or if any process has that id: one of
  // another program, or a killed postmaster that the system has not reaped. No server of this cluster is left, so the file is stale.
  await removeSocketLocks(directory);
  if (Number.isNaN(pid) || (process.platform === "linux" ? canSeeProcesses() : await isProcessRunning(pid))) {
    await rm(lockFile, { force: true });
  }
};

/** Stops a server. Returns the ids of the processes that are left. */
const stopServer = async (
  directory: string,
  pid: number,
  phases: readonly StopPhase[],
): Promise<number[]> => {
  // Suspended processes act on no other signal than SIGKILL.
  await resumeServers(directory, pid);
  for (const { signal, attempts } of phases) {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const serverPids = await findServerPids(directory, pid);
      if (serverPids.length === 0) return [];
      if (signal !== "SIGINT") for (const serverPid of serverPids) sendSignal(serverPid, signal);
      else if (!serverPids.includes(pid)) break;
      else if (attempt === 0) sendSignal(pid, signal);
      await sleep(attempt < fastAttempts ? fastPauseMs : pauseMs);
    }
  }
  return findServerPids(directory, pid);
};

/** Returns whether a process with this id runs. Not for Linux. */
const isProcessRunning = async (pid: number): Promise<boolean> => (await readTitlesFromPs([pid])).has(pid);

/**
 * Ends programs of Postgres that still use a directory, such as initdb when the process that started it was killed. Linux only.
 */
export const stopOrphanedProcesses = async (directory: string): Promise<void> => {
  if (process.platform !== "linux") return;
  const path = await realpath(directory).catch(() => undefined);
  if (path === undefined) return;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const programPids = await findProcessesInDirectory(path, /^(postgres|initdb)/);
    if (programPids.length === 0) return;
    for (const programPid of programPids) sendSignal(programPid, "SIGKILL");
    await sleep(10);
  }
};

/** Continues the processes of a server that were suspended, so that they can act on signals. */
export const resumeServers = async (directory: string, pid: number): Promise<void> => {
  for (const serverPid of await findServerPids(directory, pid)) sendSignal(serverPid, "SIGCONT");
};

const removeSocketLocks = async (directory: string): Promise<void> => {
  for (const name of await readdir(directory)) {
    if (/^\.s\.PGSQL\.\d+\.lock$/.test(name)) await rm(join(directory, name), { force: true });
  }
};

/**
 * Returns the text of `postmaster.pid`, or undefined when the file does not exist.
 *
 * @throws PlatformError `platform:data_dir_unsafe` when it cannot be read: a server may be running.
 */
const readLockFile = async (lockFile: string): Promise<string | undefined> => {
  try {
    return await readRegularFile(lockFile);
  } catch (error) {
    const code = readErrorCode(error);
    if (code === "ENOENT") return undefined;
    if (error instanceof PlatformError) throw error;
    throw platformErrors.dataDirUnsafe(lockFile, `it cannot be read (${code ?? String(error)})`);
  }
};

/**
 * Returns the process id in the text of a lock file: NaN when it has none. Postgres writes a line break after it: a file without one is
 * incomplete.
 */
const parsePid = (lockText: string): number => Number(/^\d{1,10}(?=\n)/.exec(lockText)?.[0] ?? NaN);

/** Returns whether a server listens on the socket in the cluster, in any container. The fourth line of the lock file has its port. */
const hasListener = async (directory: string, lockFile: string): Promise<boolean> => {
  const port = (await readLockFile(lockFile))?.split("\n")[3];
  if (process.platform !== "linux" || port === undefined || !/^\d{1,5}$/.test(port)) return false;
  const directoryHandle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const errorName = await new Promise<string | undefined>((resolve) => {
      // The path of a socket has at most 107 bytes, which the path of the directory may exceed.
      const socket = connect(`/proc/self/fd/${String(directoryHandle.fd)}/.s.PGSQL.${port}`, () => {
        socket.destroy();
        resolve(undefined);
      });
      socket.once("error", (error) => resolve(readErrorCode(error) ?? error.message));
    });
    // EAGAIN: the queue of the socket is full, so there is a server.
    return errorName === undefined || errorName === "EAGAIN";
  } finally {
    await directoryHandle.close();
  }
};

/** Returns the Postgres processes of this directory: the postmaster and any children that outlived it. */
const findServerPids = async (directory: string, pid: number): Promise<number[]> => {
  if (process.platform !== "linux") return findPostmasterPids(directory, pid);
  const path = await realpath(directory).catch(() => undefined);
  // A process cannot be found by a directory that no longer exists.
  return path === undefined ? [] : findProcessesInDirectory(path, /^postgres/);
};

/** Sends a signal, unless the process does not exist or belongs to another user. */
const sendSignal = (pid: number, name: NodeJS.Signals): void => {
  try {
    if (pid > 1) process.kill(pid, name);
  } catch {
    // The caller looks which processes are left.
  }
};

/** Returns the process id of the postmaster if it runs. `ps` also shows the processes of other accounts. */
const findPostmasterPids = async (directory: string, pid: number): Promise<number[]> => {
  if (!(pid > 1)) return [];
  const title = (await readTitlesFromPs([pid])).get(pid) ?? "";
  return title.includes("postgres") && title.includes(directory) ? [pid] : [];
};
