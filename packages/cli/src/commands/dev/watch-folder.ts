import { lstat } from "node:fs/promises";
import { readErrorCode } from "@mgmt/internal/errors/error-code";

/** Poll interval in milliseconds. */
const watchIntervalMs = 1_000;

/** Watches that a folder stays where it is. */
export interface FolderWatch {
  readonly path: string;
  /** Resolves when another folder, or none, is at the path. */
  readonly removed: Promise<void>;
  readonly stop: () => void;
}

/** Starts to watch a folder. A mounted folder that is out of reach for a while does not count as gone. */
export const watchFolder = async (path: string, intervalMs = watchIntervalMs): Promise<FolderWatch> => {
  const { dev, ino } = await lstat(path);
  let timer: NodeJS.Timeout | undefined;
  const removed = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      lstat(path).then(
        (stats) => {
          if (stats.dev !== dev || stats.ino !== ino) resolve();
        },
        (error: unknown) => {
          if (["ENOENT", "ENOTDIR"].includes(readErrorCode(error) ?? "")) resolve();
        },
      );
    }, intervalMs);
  });
  return { path, removed, stop: () => clearInterval(timer) };
};
