import { randomUUID } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { systemCode } from "./file-errors.js";

/** Who holds or wants a lock, as its file says. */
export interface LockOwner {
  /** Tells this attempt to lock from all others. */
  nonce: string;
  pid: number;
  /** Where the pid means something: one boot of one machine, one namespace of pids. */
  machine: string;
  /** When the process started, in the system's own count; tells it from a later one with the same pid. */
  startedAt: string | undefined;
  /** It has done its work, and could not take the lock away since its folder is read-only by now. */
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

/** This process, with a nonce of its own for each attempt. */
export const newOwner = async (): Promise<LockOwner> => {
  const { pid } = process;
  return { nonce: randomUUID(), pid, machine: await machineOf(), startedAt: (await look(pid))?.startedAt };
};

export const parseOwner = (text: string): LockOwner | undefined => {
  try {
    // What is not such an object has none of its fields.
    const { nonce, pid, machine: where, startedAt, isDone } = JSON.parse(text) as Partial<LockOwner>;
    if (typeof nonce !== "string" || !/^[\da-f-]{36}$/.test(nonce) || typeof pid !== "number")
      return undefined;
    return { nonce, pid, machine: String(where), startedAt, isDone: isDone === true };
  } catch {
    return undefined;
  }
};

/** `unknown` when it can only be told from its heartbeat: another machine, or a system that does not tell. */
export const lifeOf = async (owner: LockOwner, me: LockOwner): Promise<"dead" | "alive" | "unknown"> => {
  if (owner.machine !== me.machine) return "unknown";
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives, and is another user's.
    if (systemCode(error) === "ESRCH") return "dead";
  }
  const found = await look(owner.pid);
  if (!found || owner.startedAt === undefined) return "unknown";
  return found.isOver || found.startedAt !== owner.startedAt ? "dead" : "alive";
};

/** § proc(5), /proc/pid/stat: state is field 3, the start field 22; the name before them may hold anything. */
const look = async (pid: number): Promise<{ startedAt: string; isOver: boolean } | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", startedAt] = [fields?.[0], fields?.[19]];
  // A zombie still has its pid.
  return startedAt === undefined ? undefined : { startedAt, isOver: /^[ZX]/.test(state) };
};
