import { closeSync, constants, openSync, writeSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { Readable } from "node:stream";
import { linkedFileError, unreadableFileError, usageError } from "../errors/usage-errors.js";
import { stripByteOrderMark } from "../text/byte-order-mark.js";

/** Time between attempts to end the wait of the reader of a named pipe, in milliseconds. */
const releaseIntervalMs = 20;

/** Reads the files that flags name, where `-` is standard input. Standard input can be read only once. */
export class InputSources {
  private stdinFlag: string | undefined;

  constructor(
    private readonly streams: { readonly stdin: Readable & { readonly isTTY?: boolean } },
    private readonly cwd: string,
    private readonly signal?: AbortSignal,
    /** Called before a terminal is read, where nothing shows that input is expected. */
    private readonly onTerminal?: (flag: string) => void,
  ) {}

  /** Whether a flag reads standard input, so that no question can be asked on it. */
  get readsStdin(): boolean {
    return this.stdinFlag !== undefined;
  }

  /**
   * Reads the whole text that `flag` names. Throws `usage:not_utf8` rather than replacing bytes that are not UTF-8.
   *
   * @param createUnreadableError returns the error for a file that cannot be read, given the error of the file system.
   * @param label the path in other messages.
   */
  async read(
    path: string,
    flag: string,
    createUnreadableError = (cause: unknown): Error => unreadableFileError(flag, path, cause),
    label = path,
  ): Promise<string> {
    if (path === "-") return this.readStdin(flag);
    if (path === "") throw usageError(`${flag} needs a path, or - for standard input`);
    const { readFile, stat } = await import("node:fs/promises");
    const file = resolve(this.cwd, path);
    let releaseTimer: NodeJS.Timeout | undefined;
    const releaseReader = (): void => {
      // The reader may not have opened the pipe yet.
      releaseTimer = setInterval(() => releasePipeReader(file), releaseIntervalMs);
    };
    let bytes: Buffer;
    try {
      if ((await stat(file)).isFIFO()) this.signal?.addEventListener("abort", releaseReader);
      bytes = await readFile(file, this.signal && { signal: this.signal });
    } catch (cause) {
      this.signal?.throwIfAborted();
      throw createUnreadableError(cause);
    } finally {
      this.signal?.removeEventListener("abort", releaseReader);
      clearInterval(releaseTimer);
    }
    return decodeInput(bytes, label, flag);
  }

  /**
   * Reads a file that may belong to the repository of another user, and whose content messages quote. A relative path must not leave the
   * working directory through a symbolic link.
   */
  async readInFolder(
    path: string,
    flag: string,
    createUnreadableError = (cause: unknown): Error => unreadableFileError(flag, path, cause),
  ): Promise<string> {
    if (path === "-" || path === "" || isAbsolute(path)) return this.read(path, flag, createUnreadableError);
    const { resolveLinkTarget } = await import("../files/resolve-link-target.js");
    const target = await resolveLinkTarget(path, this.cwd);
    if (target === undefined) throw linkedFileError(flag, path);
    return this.read(target, flag, createUnreadableError, path);
  }

  /** Reads a secret, which is one line. Ignores the line break that editors add at the end. */
  async readSecret(path: string, flag: string): Promise<string> {
    const secret = stripByteOrderMark(await this.read(path, flag)).trim();
    const source = path === "-" ? "standard input" : path;
    if (secret === "") throw usageError(`${flag}: ${source} is empty`);
    if (/[\r\n]/.test(secret)) throw usageError(`${flag}: ${source} has more than one line`);
    return secret;
  }

  private async readStdin(flag: string): Promise<string> {
    if (this.stdinFlag !== undefined) {
      throw usageError(
        `${this.stdinFlag} and ${flag} cannot both read standard input`,
        "Put one of them into a file.",
      );
    }
    this.stdinFlag = flag;
    const { stdin } = this.streams;
    if (stdin.isTTY) this.onTerminal?.(flag);
    this.signal?.addEventListener("abort", () => stdin.destroy(), { once: true });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer | string));
    } catch (cause) {
      this.signal?.throwIfAborted();
      throw unreadableFileError(flag, "standard input", cause);
    }
    return decodeInput(Buffer.concat(chunks), "standard input", flag);
  }
}

/**
 * Ends the wait for a writer of a named pipe, or for what it writes, by writing a line break to it. A thread of Node.js waits, without which
 * the process cannot exit.
 */
const releasePipeReader = (path: string): void => {
  try {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      writeSync(descriptor, "\n");
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // No one reads it.
  }
};

const decodeInput = async (bytes: Buffer, source: string, flag: string): Promise<string> => {
  const { decodeUtf8 } = await import("./decode-utf8.js");
  return decodeUtf8(bytes, source, flag);
};
