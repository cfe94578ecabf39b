import { type Processes, createProcessView } from "./process-liveness.js";

/** Returns the view that this process has of others, with the help of `ps` on systems other than Linux. */
export const createPsProcesses = (): Processes => createProcessView(readStartByPs);

/** Returns when a process started, as `ps` prints it; null if there is no such process or no `ps`. */
const readStartByPs = (pid: number): string | null => {
  // Not imported, because most runs of a command can save its load.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  try {
    const parameters = ["-o", "lstart=", "-p", String(pid)];
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("/bin/ps", parameters, { encoding: "utf8", stdio: [...stdio] }).trim() || null;
  } catch {
    return null;
  }
};
