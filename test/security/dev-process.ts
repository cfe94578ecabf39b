import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bin, ensureBuilt } from "../../packages/cli/test/bin.js";
import type { Ready } from "../../packages/platform/src/start/ready.js";

/** `mgmt dev` in a process of its own, with a configuration folder of its own. */
export interface DevProcess {
  readonly ready: Ready;
  readonly configDir: string;
  /** What it has printed on standard error. */
  readonly log: () => string;
  /** Ends it, and keeps the configuration folder. */
  end(): Promise<void>;
  /** Ends it, and removes the configuration folder. */
  stop(): Promise<void>;
}

/** Starts the built `mgmt dev` on a free port, with `--ephemeral` unless a data directory is among the flags. */
export const startDev = async (...flags: string[]): Promise<DevProcess> => {
  await ensureBuilt();
  return startDevOf([process.execPath, bin], flags);
};

/** Does the same with another program, such as an installed `mgmt`. */
export const startDevOf = async (
  [file = "", ...words]: readonly string[],
  flags: readonly string[] = [],
  path = process.env["PATH"],
): Promise<DevProcess> => {
  const configDir = mkdtempSync(join(tmpdir(), "mgmt-security-"));
  const kind = flags.includes("--data-dir") ? [] : ["--ephemeral"];
  const child = spawn(file, [...words, "dev", ...kind, "--port", "0", "-o", "json", ...flags], {
    env: { PATH: path, HOME: process.env["HOME"], MGMT_CONFIG_DIR: configDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const closed = new Promise((resolve) => child.once("close", resolve));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", resolve);
    child.once("close", () => reject(new Error(`mgmt dev ended before it was ready: ${log}`)));
  });
  const end = async (): Promise<void> => {
    child.kill("SIGTERM");
    await closed;
  };
  return {
    // The ready line is JSON with these fields.
    ready: JSON.parse(line) as Ready,
    configDir,
    log: () => log,
    end,
    async stop() {
      await end();
      rmSync(configDir, { recursive: true });
    },
  };
};
