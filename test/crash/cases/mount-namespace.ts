import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readlink } from "node:fs/promises";

const isolated = ["--mount", "--propagation", "private"];

const namespaceOf = (process: string): Promise<string | undefined> =>
  readlink(`/proc/${process}/ns/mnt`).catch(() => undefined);

/** Returns whether this process sees other mounts than the process that started it. */
export const hasOwnMounts = async (): Promise<boolean> =>
  (await namespaceOf("self")) !== (await namespaceOf(String(process.ppid)));

/** Returns whether this account can start a process with mounts of its own. */
export const canHaveOwnMounts = (): boolean => spawnSync("unshare", [...isolated, "true"]).status === 0;

/** Starts this program in a mount namespace of its own. Returns whether it succeeded. */
export const runWithOwnMounts = async (parameters: readonly string[]): Promise<boolean> => {
  const program = [process.execPath, ...process.execArgv, process.argv[1] ?? "", ...parameters];
  const child = spawn("unshare", [...isolated, ...program], { stdio: "inherit" });
  await once(child, "exit");
  return child.exitCode === 0;
};
