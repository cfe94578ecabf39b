import { readFile } from "node:fs/promises";
import { platformErrors } from "../errors/platform-error.js";

/**
 * Number of files that a process must be able to open. The platform keeps about 25 connections to Postgres besides the connections of its
 * clients, and each process of Postgres needs more than 60 files to start.
 */
const minOpenFiles = 256;

/**
 * Number of processes and threads that a user must be able to run. Node.js has about 11, Postgres 8 without connections, and one for
 * each of about 25 connections of the platform.
 */
const minProcesses = 64;

/** Size in bytes that a file may need: Postgres stores a table in files of 1 GiB. */
const minFileSize = 1024 ** 3;

/**
 * Refuses to start where the system allows so few open files or processes, or such small files, that requests would fail later.
 *
 * @throws PlatformError `platform:open_files_limit`, `platform:process_limit`, `platform:file_size_limit`.
 */
export const rejectLowLimits = async (): Promise<void> =>
  assertLimits(await readFile("/proc/self/limits", "utf8").catch(() => ""));

/** @param limitsText text of `/proc/self/limits`; empty where the system has none. */
export const assertLimits = (limitsText: string): void => {
  const openFileLimit = parseSoftLimit(limitsText, "Max open files");
  if (openFileLimit < minOpenFiles) throw platformErrors.openFilesLimit(openFileLimit, minOpenFiles);
  const processLimit = parseSoftLimit(limitsText, "Max processes");
  if (processLimit < minProcesses) throw platformErrors.processLimit(processLimit, minProcesses);
  const fileSizeLimit = parseSoftLimit(limitsText, "Max file size");
  if (fileSizeLimit < minFileSize) throw platformErrors.fileSizeLimit(fileSizeLimit);
};

/**
 * Returns a soft limit of this process. Infinity if there is none, or the system does not report it. Node.js raises the number of open
 * files to the hard limit.
 */
const parseSoftLimit = (limits: string, name: string): number => {
  const [, value] = new RegExp(`^${name}\\s+(\\d+)`, "m").exec(limits) ?? [];
  return value === undefined ? Infinity : Number(value);
};
