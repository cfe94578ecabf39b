import { readFileSync, readlinkSync } from "node:fs";
import { readErrorCode } from "../errors/error-code.js";

/** A process, as a file names it to other processes. A process id alone is not enough, because the system reuses it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system writes it, or null if the system does not report it. */
  readonly started: string | null;
  /** Where the pid means this process: one start of one system, and the namespaces in it, or null if that is not known. */
  readonly place: string | null;
  /** The machine, if the process does not run in a container. */
  readonly machine: string | null;
}

/** `unknown` if the process may run where this one cannot see it: in another container, or on another machine. */
export type ProcessLiveness = "alive" | "dead" | "unknown";

/** A process's view of other processes. */
export interface ProcessView {
  /** The process that judges others. */
  readonly self: ProcessIdentity;
  /** Returns undefined if no process has this id. A zombie has exited. */
  readonly find: (pid: number) => Pick<ProcessIdentity, "started"> | undefined;
}

/** Returns whether a process that a file names still runs, by what this process knows about other processes. */
export const determineLiveness = (
  { pid, started, place, machine }: ProcessIdentity,
  { self, find }: ProcessView,
): ProcessLiveness => {
  if (place === null || self.place === null) return "unknown";
  if (place !== self.place) {
    // The place differs after a restart of the machine, which has killed all earlier processes.
    return machine !== null && machine === self.machine ? "dead" : "unknown";
  }
  const process = find(pid);
  if (process === undefined) return "dead";
  if (started === null || process.started === null) return "unknown";
  return started === process.started ? "alive" : "dead";
};

/** Returns the identity that a file contains; undefined if it contains none. */
export const parseIdentity = (value: unknown): ProcessIdentity | undefined => {
  if (typeof value !== "object" || value === null) return undefined;
  // Each field is checked.
  const { pid, started, place, machine } = value as Partial<Record<string, unknown>>;
  const isPid = typeof pid === "number" && Number.isSafeInteger(pid) && pid > 0;
  return isPid && isTextOrNull(started) && isTextOrNull(place) && isTextOrNull(machine)
    ? { pid, started, place, machine }
    : undefined;
};

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === "string";

/**
 * Returns what this process knows about other processes.
 *
 * @param readStartTime returns when a process started, on systems other than Linux. Default: it is not known.
 */
export const createProcessView = (
  readStartTime: (pid: number) => string | null = () => null,
): ProcessView => {
  const system = process.platform === "linux" ? getLinuxSystem() : { ...readHostPlace(), readStartTime };
  const find: ProcessView["find"] = (pid) => {
    try {
      process.kill(pid, 0);
    } catch (error) {
      // EPERM means that the process exists and belongs to another user.
      if (readErrorCode(error) === "ESRCH") return undefined;
    }
    const started = system.readStartTime(pid);
    return started === "ended" ? undefined : { started };
  };
  const { place, machine } = system;
  const { pid } = process;
  return { self: { pid, started: find(pid)?.started ?? null, place, machine }, find };
};

interface ProcessSystem extends Pick<ProcessIdentity, "place" | "machine"> {
  readonly readStartTime: (pid: number) => string | null;
}

/** `node:os` is not imported, because most runs of a command can save its load. */
const readHostPlace = (): Omit<ProcessSystem, "readStartTime"> => ({
  place: process.getBuiltinModule("node:os").hostname(),
  machine: null,
});

/** The namespaces of processes that run in no container. The numbers are constants of Linux. */
const outermostNamespaces = ["pid:[4026531836]", "time:[4026531834]"];

let linuxSystem: ProcessSystem | undefined;
/** Read once: it stays the same while this process runs. */
const getLinuxSystem = (): ProcessSystem => (linuxSystem ??= detectLinuxSystem());

const detectLinuxSystem = (): ProcessSystem => {
  const bootId = readTrimmedText("/proc/sys/kernel/random/boot_id");
  const pidNamespace = readTrimmedText("/proc/self/ns/pid", readlinkSync);
  // Start times depend on it. Before version 5.6, there is only one.
  const timeNamespace = readTrimmedText("/proc/self/ns/time", readlinkSync) ?? outermostNamespaces[1];
  const [machineId, hostName] = ["/etc/machine-id", "/proc/sys/kernel/hostname"].map((path) =>
    readTrimmedText(path),
  );
  const isOutermost = pidNamespace === outermostNamespaces[0] && timeNamespace === outermostNamespaces[1];
  // The files may belong to another namespace, in which the same pid means another process.
  const hasOwnProcFiles = readTrimmedText("/proc/self", readlinkSync) === String(process.pid);
  return {
    place: bootId && pidNamespace && `${bootId} ${pidNamespace} ${String(timeNamespace)}`,
    machine: isOutermost && machineId && hostName ? `${machineId} ${hostName}` : null,
    readStartTime: (pid) => (hasOwnProcFiles ? readStartTimeFromProc(pid) : null),
  };
};

/**
 * Reads the start time (field 22) of a process from `/proc/<pid>/stat`; see
 * [proc(5)](https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). Returns `ended` for a zombie, which keeps its pid.
 */
const readStartTimeFromProc = (pid: number): string | null => {
  const stat = readTrimmedText(`/proc/${String(pid)}/stat`);
  // The process name before the fields may contain any character.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return /^[ZX]/.test(fields?.[0] ?? "") ? "ended" : (fields?.[19] ?? null);
};

const readTrimmedText = (
  path: string,
  read: (path: string) => string = (path) => readFileSync(path, "utf8"),
): string | null => {
  try {
    return read(path).trim() || null;
  } catch {
    return null;
  }
};
