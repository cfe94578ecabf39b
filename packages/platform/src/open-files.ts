import { readFile } from "node:fs/promises";
import { platformErrors } from "./platform-error.js";

/**
 * Number of files that a process must be able to open. The platform keeps about 25 connections to Postgres besides those of its
 * clients, and each process of Postgres needs more than 60 files to start.
 */
const needed = 256;

/**
 * Refuses to start where the system lets a process open so few files that requests would fail later.
 *
 * @throws PlatformError `platform:open_files_limit`.
 */
export const refuseLowLimit = async (): Promise<void> => {
  const limit = await openFilesLimit();
  if (limit < needed) throw platformErrors.openFilesLimit(limit, needed);
};

/** Returns the soft limit of this process, which Node.js raises to the hard limit. Infinity if the system does not say. */
const openFilesLimit = async (): Promise<number> => {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? Infinity : Number(soft);
};
