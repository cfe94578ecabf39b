import { execFileSync } from "node:child_process";

/** Returns when a process started, as `ps` prints it; null if there is no such process or no `ps`. */
export const startByPs = (pid: number): string | null => {
  try {
    const parameters = ["-o", "lstart=", "-p", String(pid)];
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("/bin/ps", parameters, { encoding: "utf8", stdio: [...stdio] }).trim() || null;
  } catch {
    return null;
  }
};
