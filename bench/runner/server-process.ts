import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface ServerProcess {
  /** The one line of JSON that the process wrote when it was ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
}

/** Runs `node` with these parameters until its first line; throws when it ends, or 30 s go by, before that. */
export const startServerProcess = async (
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> => {
  const child = spawn(process.execPath, parameters, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const endWithUs = (): boolean => child.kill("SIGTERM");
  process.once("exit", endWithUs);
  const ended = once(child, "exit").finally(() => process.off("exit", endWithUs));
  const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, "line"), ended.then(() => undefined)]);
  clearTimeout(timer);
  if (line === undefined) throw new Error(`node ${parameters.join(" ")} ended before it was ready`);
  const ready: Record<string, unknown> = JSON.parse(String(line[0]));
  return {
    ready,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
};
