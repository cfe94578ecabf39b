import { type ProcessView, createProcessView } from "./process-liveness.js";

/** Returns what this process knows about other processes. Runs `ps` on systems other than Linux. */
export const createProcessViewWithPs = (): ProcessView => createProcessView(readStartTimeWithPs);

/** Returns when a process started, as `ps` prints it; null if there is no such process or no `ps`. */
const readStartTimeWithPs = (pid: number): string | null => {
  // Loaded here, because most runs of a command do not need it.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  try {
    const parameters = ["-o", "lstart=", "-p", String(pid)];
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("/bin/ps", parameters, { encoding: "utf8", stdio: [...stdio] }).trim() || null;
  } catch {
    return null;
  }
};
