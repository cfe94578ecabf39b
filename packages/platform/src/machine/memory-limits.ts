import { statfs } from "node:fs/promises";
import type { MemoryLimits } from "@mgmt/cluster/guard/memory-monitor";

const mebibyte = 1024 ** 2;

/** The type of a file system that is in memory: `TMPFS_MAGIC` in Linux. */
const tmpfsType = 0x0102_1994;

/**
 * Returns the limits for databases in memory: 1 GiB each, and half of the free memory together. Returns undefined if they are on a disk.
 *
 * @param directory a directory on the file system that has the databases.
 */
export const readMemoryLimits = async (directory: string): Promise<MemoryLimits | undefined> => {
  const { type, bavail, bsize } = await statfs(directory);
  return type === tmpfsType
    ? {
        readUsedBytes: () => readBytesInUse(directory),
        maxBytesPerDatabase: 1024 * mebibyte,
        maxTotalBytes: Math.floor((bavail * bsize) / 2),
      }
    : undefined;
};

/** Returns how many bytes of a file system are in use. */
export const readBytesInUse = async (directory: string): Promise<number> => {
  const { blocks, bfree, bsize } = await statfs(directory);
  return (blocks - bfree) * bsize;
};
