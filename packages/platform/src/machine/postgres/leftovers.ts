import { execFile } from "node:child_process";
import { constants, readlinkSync } from "node:fs";
import { open, readFile, readdir, readlink, realpath, rm } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { readRegularFile } from "../data-dir/safe-file.js";
import { platformErrors } from "../../errors/platform-error.js";
import { hasProcessFiles } from "./process-files.js";
import { removeSharedMemory } from "./shared-memory.js";

/**
 * Stops processes of an earlier server of this cluster that survived because its watchdog was killed too. The caller must
 * hold the lock of the data directory, which proves that no running platform uses them.
 *
 * @throws PlatformError `platform:data_dir_in_use` when a server of this cluster runs that this process cannot stop.
 */
export const endLeftoverServers = async (directory: string): Promise<void> => {
  const lockFile = join(directory, "postmaster.pid");
  const pid = await readPid(lockFile);
  if (pid === undefined) return;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const serverPids = await findServerPids(directory, pid);
    if (serverPids.length === 0) break;
    // Suspended processes act on no other signal.
    if (attempt === 0) for (const serverPid of serverPids) sendSignal(serverPid, "SIGCONT");
    // A postmaster shuts its server down cleanly. Children without a postmaster can be stopped at once.
    const isShuttingDown = serverPids.includes(pid) && attempt < 100;
    if (!isShuttingDown)
      for (const serverPid of serverPids) sendSignal(serverPid, attempt < 200 ? "SIGQUIT" : "SIGKILL");
    else if (attempt === 0) sendSignal(pid, "SIGINT");
    await sleep(attempt < 10 ? 10 : 50);
  }
  if (await hasListener(directory, lockFile)) throw platformErrors.serverInUseElsewhere(dirname(directory));
  await removeSharedMemory(lockFile);
  // Postgres refuses to start if a lock file has no process id because its writer was killed. It also does if a process has the id
  // when Postgres starts: another program, such as one that this start runs, or a killed postmaster that the system has not collected.
  await removeSocketLocks(directory);
  if (Number.isNaN(pid) || (process.platform === "linux" ? canSeeProcesses() : sendSignal(pid, 0))) {
    await rm(lockFile, { force: true });
  }
};

/**
 * Ends programs of Postgres that still use a directory, such as initdb when the process that started it was killed. Linux only.
 */
export const endLeftoverPrograms = async (directory: string): Promise<void> => {
  if (process.platform !== "linux") return;
  const path = await realpath(directory).catch(() => undefined);
  if (path === undefined) return;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const programPids = await findLinuxPids(path, /^(postgres|initdb)/);
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

/** Returns the process id in a lock file: NaN when it has none, undefined when the file does not exist. */
const readPid = async (lockFile: string): Promise<number | undefined> => {
  const text = await readRegularFile(lockFile).catch(() => undefined);
  // Postgres ends the line, so that a line without an end is one whose writer was killed.
  return text === undefined ? undefined : Number(/^\d{1,10}(?=\n)/.exec(text)?.[0] ?? NaN);
};

/** Returns whether a server listens on the socket in the cluster, in any container. The fourth line of the lock file has its port. */
const hasListener = async (directory: string, lockFile: string): Promise<boolean> => {
  const port = (await readRegularFile(lockFile).catch(() => "")).split("\n")[3];
  if (process.platform !== "linux" || port === undefined || !/^\d{1,5}$/.test(port)) return false;
  const directoryHandle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const errorName = await new Promise<string | undefined>((resolve) => {
      // The path of a socket has at most 107 bytes.
      const socket = connect(`/proc/self/fd/${String(directoryHandle.fd)}/.s.PGSQL.${port}`, () => {
        socket.destroy();
        resolve(undefined);
      });
      socket.once("error", (error) => resolve(readErrorCode(error) ?? error.message));
    });
    // Many wait for this server.
    return errorName === undefined || errorName === "EAGAIN";
  } finally {
    await directoryHandle.close();
  }
};

/** Returns the Postgres processes of this directory: the postmaster and any children that outlived it. */
const findServerPids = async (directory: string, pid: number): Promise<number[]> => {
  if (process.platform !== "linux") return findPostmasterPids(directory, pid);
  const path = await realpath(directory).catch(() => undefined);
  // Somebody has deleted the directory.
  return path === undefined ? [] : findLinuxPids(path, /^postgres/);
};

/** Sends a signal. Returns false when the process does not exist or belongs to another user. */
const sendSignal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return pid > 1 && process.kill(pid, name);
  } catch {
    return false;
  }
};

/**
 * Returns whether this process can identify other processes. If not, Postgres refuses to start beside a server of its directory. The files may be
 * those of another namespace, in which the same ids mean other processes.
 */
export const canSeeProcesses = (): boolean =>
  process.platform !== "linux" || (hasProcessFiles() && readlinkSync("/proc/self") === String(process.pid));

/**
 * Returns the ids of the processes of Postgres that use a data directory, which is the working directory of each of them.
 *
 * @param programPattern matches the path of the program.
 */
export const findLinuxPids = async (directory: string, programPattern: RegExp): Promise<number[]> => {
  if (!canSeeProcesses()) return [];
  const pidNames = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const pids = await Promise.all(
    pidNames.map(async (name) => {
      try {
        if ((await readlink(`/proc/${name}/cwd`)) !== directory) return undefined;
        return programPattern.test(await readFile(`/proc/${name}/comm`, "utf8")) ? Number(name) : undefined;
      } catch {
        return undefined;
      }
    }),
  );
  return pids.filter((pid) => pid !== undefined);
};

const findPostmasterPids = async (directory: string, pid: number): Promise<number[]> => {
  if (!(pid > 1)) return [];
  try {
    const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "command=", "-p", String(pid)]);
    return stdout.includes("postgres") && stdout.includes(directory) ? [pid] : [];
  } catch {
    return [];
  }
};
