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
  const lockText = await readRegularFile(lockFile).catch(() => "");
  const segments = await readFile("/proc/sysvipc/shm", "utf8").catch(() => "");
  const id = findAbandonedSegment(lockText, segments);
  if (id !== undefined) await runProgram("ipcrm", ["-m", id]);
};

/**
 * Returns the id of the segment of a server that has stopped; undefined when there is none, or a process still uses it.
 *
 * @param lockText text of its `postmaster.pid`
 * @param segments text of `/proc/sysvipc/shm`
 */
export const findAbandonedSegment = (lockText: string, segments: string): string | undefined => {
  const [key, id] = lockText.split("\n")[6]?.trim().split(/\s+/) ?? [];
  if (key === undefined || id === undefined) return undefined;
  const isAbandoned = segments.split("\n").some((line) => {
    const [segmentKey, segmentId, , , , , attachedCount] = line.trim().split(/\s+/);
    return Number(segmentKey) === Number(key) && segmentId === id && attachedCount === "0";
  });
  return isAbandoned ? id : undefined;
};
