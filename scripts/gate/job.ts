import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";

/** How a process ended: its exit status, or what ended it. */
export type Ending = number | NodeJS.Signals | "time limit" | "not started";

const running = new Set<number>();

/**
 * Runs a program with no standard input, and appends its output to a file. What it starts is in a process group, which is killed
 * when the program ends or takes too long.
 *
 * @param limit In minutes.
 */
export const runJob = (
  command: readonly string[],
  log: string,
  limit: number,
  environment: NodeJS.ProcessEnv,
): Promise<Ending> =>
  new Promise((resolve) => {
    const [program = "", ...words] = command;
    const output = openSync(log, "a");
    const child = spawn(program, words, {
      stdio: ["ignore", output, output],
      detached: true,
      env: { ...process.env, ...environment },
    });
    closeSync(output);
    const { pid } = child;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      if (pid !== undefined) kill(pid);
    }, limit * 60_000);
    if (pid !== undefined) running.add(pid);
    const end = (ending: Ending): void => {
      clearTimeout(timer);
      if (pid !== undefined) {
        running.delete(pid);
        kill(pid);
      }
      resolve(isLate ? "time limit" : ending);
    };
    child.once("error", () => end("not started"));
    child.once("exit", (status, signal) => end(status ?? signal ?? "not started"));
  });

/** Kills the process groups of all jobs. */
export const killJobs = (): void => running.forEach(kill);

const kill = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // The whole group has ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

/** Exits as a shell does for a program that a signal ended. */
export const exitStatusOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];
