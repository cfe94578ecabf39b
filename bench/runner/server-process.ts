import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface ServerProcess {
  readonly pid: number;
  /** The line of JSON that the process printed when it was ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Stops the process and waits until it has exited. */
  stop(): Promise<void>;
}

/** Starts `node` and waits for its first line of output. Throws if it exits first or takes more than 30 s. */
export const startServerProcess = async (
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> => {
  const child = spawn(process.execPath, parameters, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stopWithParent = (): boolean => child.kill("SIGTERM");
  process.once("exit", stopWithParent);
  const ended = once(child, "exit").finally(() => process.off("exit", stopWithParent));
  const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, "line"), ended.then(() => undefined)]);
  clearTimeout(timer);
  if (line === undefined) throw new Error(`node ${parameters.join(" ")} ended before it was ready`);
  const ready: Record<string, unknown> = JSON.parse(String(line[0]));
  return {
    // A process that printed something was started.
    pid: Number(child.pid),
    ready,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
};
