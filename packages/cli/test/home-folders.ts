import { readFileSync, readdirSync } from "node:fs";
import { expect, vi } from "vitest";

/**
 * Waits until no process has this home directory, so that it can be removed: npm, which looks up the latest version in the background,
 * writes into it after the command has ended.
 */
export const untilUnused = async (home: string): Promise<void> => {
  if (process.platform !== "linux") return;
  await vi.waitFor(() => expect(readdirSync("/proc").filter((name) => isAt(home, name))).toEqual([]), 60_000);
};

const isAt = (home: string, process: string): boolean => {
  try {
    return readFileSync(`/proc/${process}/environ`, "utf8").split("\0").includes(`HOME=${home}`);
  } catch {
    return false;
  }
};
