import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Target } from "../programs/answer.js";

export interface MgmtDev extends Target {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts `mgmt dev`, and waits for the line of JSON that it prints when it is ready. */
export const startDev = async (
  mgmt: string,
  flags: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<MgmtDev> => {
  const parameters = [mgmt, "dev", ...flags, "--port", "0", "--output", "json"];
  const child = spawn(process.execPath, parameters, {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = (): boolean => child.kill("SIGTERM");
  process.once("exit", stop);
  const ended = once(child, "exit").finally(() => process.off("exit", stop));
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, "line"), ended.then(() => undefined)]);
  if (!line) throw new Error("mgmt dev ended before it was ready");
  return {
    ...(JSON.parse(String(line[0])) as Target),
    // A process that printed something was started.
    pid: Number(child.pid),
    stop: async () => {
      stop();
      await ended;
    },
  };
};
