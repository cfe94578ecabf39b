import { execFile } from "node:child_process";
import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { rm, statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { ProcessLiveness } from "@mgmt/internal/processes/process-liveness";

const { O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

/**
 * A named pipe that a process, and each program that inherits the descriptor, holds open for reading. The system closes it when the
 * last of them ends, in whatever way and wherever it runs.
 */
export class LockPipe {
  readonly #path: string;
  #descriptor: number | undefined;

  private constructor(path: string, descriptor: number) {
    this.#path = path;
    this.#descriptor = descriptor;
  }

  /** Returns undefined where there are no namespaces of processes, and where no named pipe can be made. */
  static async create(path: string): Promise<LockPipe | undefined> {
    if (process.platform !== "linux") return undefined;
    try {
      await promisify(execFile)("mkfifo", ["-m", "600", path], { env: { PATH: "/usr/bin:/bin" } });
      return new LockPipe(path, openSync(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW));
    } catch {
      await rm(path, { force: true });
      return undefined;
    }
  }

  /** The file descriptor that a program inherits if it may use the directory for longer than this process. */
  get descriptor(): number | undefined {
    return this.#descriptor;
  }

  async closeAndRemove(): Promise<void> {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    await rm(this.#path, { force: true });
  }
}

/** Returns whether any process has the pipe open for reading. `unknown` if there is no pipe. */
export const readPipeHolderLiveness = (path: string): ProcessLiveness => {
  try {
    // Other kinds of files have the same error.
    if (!lstatSync(path).isFIFO()) return "unknown";
    closeSync(openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW));
    return "alive";
  } catch (error) {
    return readErrorCode(error) === "ENXIO" ? "dead" : "unknown";
  }
};

/** The types of file systems that one system alone uses at a time: ext, XFS, Btrfs, ZFS, F2FS, tmpfs and overlays of them. */
const localFileSystemTypes = [0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x01021994, 0x794c7630];

/**
 * Returns whether no other system, such as a virtual machine or a server of files, can use a directory at the same time, as far as that is known.
 */
export const isOnKnownLocalFileSystem = async (directory: string): Promise<boolean> => {
  if (process.platform !== "linux") return false;
  const type = (await statfs(directory).catch(() => undefined))?.type;
  return type !== undefined && localFileSystemTypes.includes(type);
};
