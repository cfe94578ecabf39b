import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DirectoryLock } from "../../platform/src/machine/data-dir/directory-lock.js";

/** Runs work while no other process does the same with this folder. A process that was killed does not hold it any longer. */
export const whileLocked = async (folder: string, work: () => Promise<void>): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const lock = await acquire(folder);
  try {
    await work();
  } finally {
    await lock.release();
  }
};

const acquire = async (folder: string): Promise<DirectoryLock> => {
  for (;;) {
    try {
      return await DirectoryLock.acquire(folder);
    } catch (error) {
      const isHeld = error instanceof Error && "code" in error && error.code === "platform:data_dir_in_use";
      if (!isHeld) throw error;
      await sleep(100);
    }
  }
};
