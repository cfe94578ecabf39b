import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, copyFile, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { findHardLinkProblem, openOwnedFile } from "../data-dir/safe-file.js";
import { platformErrors } from "../../errors/platform-error.js";
import type { SystemAccount } from "../data-dir/postgres-account.js";
import { postgresEnvironment } from "./run-program.js";

/** Opens a log that belongs to this account, because another account could have linked it to a file elsewhere. */
const openLogFile = async (path: string, flags: number): Promise<FileHandle> => {
  const file = await openOwnedFile(path, flags | constants.O_CREAT);
  const problem = findHardLinkProblem(await file.stat());
  if (problem === undefined) return file;
  await file.close();
  throw platformErrors.dataDirUnsafe(path, problem);
};

/** Opens the log to append to it. */
export const openLogForAppend = (path: string): Promise<FileHandle> =>
  openLogFile(path, constants.O_WRONLY | constants.O_APPEND);

/**
 * Moves the content of a log larger than `maxBytes` to `<path>.1`, replacing the previous content there. The file
 * itself stays, so that a running server continues to append to it.
 */
export const rotateLog = async (path: string, maxBytes: number): Promise<void> => {
  const log = await openLogFile(path, constants.O_RDWR);
  try {
    if ((await log.stat()).size <= maxBytes) return;
    const previousPath = `${path}.1`;
    await rm(previousPath, { force: true });
    await copyFile(path, previousPath, constants.COPYFILE_EXCL);
    await log.truncate(0);
  } finally {
    await log.close();
  }
};

/**
 * Writes its input with control characters and bytes outside of ASCII as visible characters such as `^[`. Ends at the end of its input. A
 * full disk ends `cat` but not the loop.
 */
const writerScript = "until cat -uv; do sleep 1 || exit; done";

/** A program that writes to the log. */
export interface LogWriter {
  /** The standard error of Postgres. Destroy it once Postgres has it. */
  readonly input: Writable;
  /** Waits until everything is written. Call it after all processes that have the input have exited. */
  finish(): Promise<void>;
}

/**
 * Starts a program that writes a log that is safe to show on a terminal: any client that reaches the port of Postgres chooses the names in
 * refused connections. It outlives this process, so that no message is lost when that is killed.
 */
export const startLogWriter = (log: FileHandle, account: SystemAccount | undefined): LogWriter => {
  const writer = spawn("/bin/sh", ["-c", writerScript, "mgmt-log"], {
    ...account,
    cwd: "/",
    env: postgresEnvironment,
    // Its own process group, so that Ctrl-C does not reach it.
    detached: true,
    stdio: ["pipe", log.fd, "ignore"],
  });
  const writerExited = new Promise<void>((resolve) => {
    writer.once("exit", () => resolve());
    writer.once("error", () => resolve());
  });
  const { stdin } = writer;
  if (stdin === null) throw new Error("A program with an input was started without one");
  stdin.on("error", () => undefined);
  const finish = (): Promise<void> => {
    // A suspended process would not end.
    if (writer.pid !== undefined) resumeGroup(writer.pid);
    return writerExited;
  };
  return { input: stdin, finish };
};

const resumeGroup = (leaderPid: number): void => {
  try {
    process.kill(-leaderPid, "SIGCONT");
  } catch {
    // The process has exited.
  }
};
