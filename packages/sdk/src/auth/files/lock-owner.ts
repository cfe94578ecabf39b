import { randomUUID } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { systemCode } from "./file-errors.js";

/** A process that holds or waits for a lock, as written in its lock file. */
export interface LockOwner {
  /** Identifies this attempt to acquire the lock. */
  nonce: string;
  pid: number;
  /** Scope in which the pid is unique: one boot of one machine and one pid namespace. */
  machine: string;
  /**
   * Start time of the process, in the system's clock ticks; distinguishes it from a later process with the same pid.
   */
  startedAt: string | undefined;
  /** The holder has finished but could not remove the lock, because its folder has become read-only. */
  isDone?: boolean;
}

let machine: Promise<string> | undefined;
const machineOf = (): Promise<string> =>
  (machine ??= Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8"),
    readlink("/proc/self/ns/pid"),
  ]).then(
    ([boot, namespace]) => `${boot.trim()} ${namespace}`,
    () => hostname(),
  ));

/** Returns an owner for this process, with a new nonce for each attempt. */
export const newOwner = async (): Promise<LockOwner> => {
  const { pid } = process;
  return {
    nonce: randomUUID(),
    pid,
    machine: await machineOf(),
    startedAt: (await readProcess(pid))?.startedAt,
  };
};

export const parseOwner = (text: string): LockOwner | undefined => {
  try {
    // Other JSON values have none of these fields.
    const { nonce, pid, machine: where, startedAt, isDone } = JSON.parse(text) as Partial<LockOwner>;
    if (typeof nonce !== "string" || !/^[\da-f-]{36}$/.test(nonce) || typeof pid !== "number")
      return undefined;
    return { nonce, pid, machine: String(where), startedAt, isDone: isDone === true };
  } catch {
    return undefined;
  }
};

/**
 * Checks whether the owner's process is alive. Returns `unknown` if only its heartbeat can tell: it is on another
 * machine, or the system does not provide the information.
 */
export const livenessOf = async (owner: LockOwner, me: LockOwner): Promise<"dead" | "alive" | "unknown"> => {
  if (owner.machine !== me.machine) return "unknown";
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    if (systemCode(error) === "ESRCH") return "dead";
  }
  const found = await readProcess(owner.pid);
  if (!found || owner.startedAt === undefined) return "unknown";
  return found.hasExited || found.startedAt !== owner.startedAt ? "dead" : "alive";
};

/**
 * Reads the state (field 3) and start time (field 22) of a process from `/proc/<pid>/stat`; see
 * [proc(5)](https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). The process name before them may contain any
 * character.
 */
const readProcess = async (pid: number): Promise<{ startedAt: string; hasExited: boolean } | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", startedAt] = [fields?.[0], fields?.[19]];
  // A zombie process keeps its pid.
  return startedAt === undefined ? undefined : { startedAt, hasExited: /^[ZX]/.test(state) };
};
