import { readFile } from "node:fs/promises";
import { readRegularFile } from "../data-dir/safe-file.js";
import { runProgram } from "./run-program.js";

/** The kind of dynamic shared memory: memory-mapped files in the cluster, because POSIX shared memory outlives a kill. */
export const sharedMemoryType = "mmap";

/**
 * Removes the System V shared memory segment that a killed server left behind. Linux only.
 *
 * @param lockFile path of its `postmaster.pid`, whose seventh line has the key and the id of the segment.
 */
export const removeSharedMemory = async (lockFile: string): Promise<void> => {
  const lines = (await readRegularFile(lockFile).catch(() => "")).split("\n");
  const [key, id] = lines[6]?.trim().split(/\s+/) ?? [];
  if (key === undefined || id === undefined) return;
  const segments = await readFile("/proc/sysvipc/shm", "utf8").catch(() => "");
  const isAbandoned = segments.split("\n").some((line) => {
    const [segmentKey, segmentId, , , , , attachedCount] = line.trim().split(/\s+/);
    return Number(segmentKey) === Number(key) && segmentId === id && attachedCount === "0";
  });
  if (isAbandoned) await runProgram("ipcrm", ["-m", id]);
};
