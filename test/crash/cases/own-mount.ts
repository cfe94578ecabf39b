import { execFile, spawnSync } from "node:child_process";
import { chmod, mkdir, readlink } from "node:fs/promises";
import { promisify } from "node:util";
import { MgmtDev } from "../mgmt-dev.js";
import { Violation } from "../violation.js";

const isolated = ["--mount", "--propagation", "private"];

const mountsOf = (pid: number): Promise<string | undefined> =>
  readlink(`/proc/${String(pid)}/ns/mnt`).catch(() => undefined);

/** Runs `mount`. Returns whether it has succeeded. */
export const mount = (...words: string[]): Promise<boolean> =>
  promisify(execFile)("mount", words).then(
    () => true,
    () => false,
  );

/**
 * Does the work of a case with a data directory that is a file system in memory, which no other program sees.
 *
 * @param name of the case, which runs again in a process of its own.
 * @param size of the file system, as `mount` reads it.
 */
export const withOwnMount = async (
  { name, directory, size }: { name: string; directory: string; size: string },
  log: (line: string) => void,
  work: (dev: MgmtDev) => Promise<void>,
): Promise<void> => {
  if (spawnSync("unshare", [...isolated, "true"]).status !== 0)
    return log("not possible: this account cannot mount a file system");
  if ((await mountsOf(process.pid)) === (await mountsOf(process.ppid))) {
    const program = [process.execPath, ...process.execArgv, process.argv[1] ?? "", "--case", name];
    const { status } = spawnSync("unshare", [...isolated, ...program], { stdio: "inherit" });
    if (status !== 0) throw new Violation(`${name} failed`);
    return;
  }
  const dev = new MgmtDev(directory);
  await mkdir(dev.dataDir);
  await mount("-t", "tmpfs", "-o", `size=${size},mode=755`, "mgmt-crash", dev.dataDir);
  await chmod(dev.dataDir, 0o755);
  try {
    await work(dev);
  } finally {
    dev.killEverything();
    spawnSync("umount", ["--lazy", dev.dataDir]);
  }
};
