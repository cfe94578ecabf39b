import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { describeCause } from "../errors/cli-error.js";
import { unwritableAuditError } from "../errors/mcp-errors.js";
import type { Redactor } from "./redactor.js";

/** A line of the audit file. */
export interface AuditEntry {
  /** Name and version of the client. */
  readonly client: string | null;
  readonly tool: string;
  readonly operation: string | null;
  /** The arguments that are ids. */
  readonly ids: Readonly<Record<string, string>>;
  readonly approvalId: string | null;
  readonly requestId: string | null;
  /** `started` before a change is sent; afterward its result, such as `ok`, `approval_required` or `error:not_found`. */
  readonly outcome: string;
}

/** The size at which a file is rotated, and the maximum number of old files. */
export interface AuditLimits {
  readonly maxBytes: number;
  readonly maxOldFiles: number;
}

const defaultLimits: AuditLimits = { maxBytes: 10 * 2 ** 20, maxOldFiles: 4 };

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;

/** A file with one line of JSON for each call of a tool, which only its owner can read. Several servers can append to it. */
export class AuditFile {
  /** The last append. The next one waits for it, so that lines are appended in order. */
  #lastAppend: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly path: string,
    private handle: FileHandle,
    private readonly redactor: Redactor,
    private readonly limits: AuditLimits,
  ) {}

  /** Opens the file, and creates it and its folder if they do not exist. Throws `mcp:audit_unwritable`. */
  static async open(path: string, redactor: Redactor, limits = defaultLimits): Promise<AuditFile> {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return new AuditFile(path, await openForAppending(path), redactor, limits);
    } catch (error) {
      throw unwritableAuditError(path, describeCause(error));
    }
  }

  /** Appends a line. Throws `mcp:audit_unwritable`. */
  append(entry: AuditEntry): Promise<void> {
    const line = `${JSON.stringify(this.redactor.redact({ time: new Date().toISOString(), ...entry }))}\n`;
    const appended = this.#lastAppend.then(() => this.#append(line));
    this.#lastAppend = appended.catch(() => undefined);
    return appended;
  }

  async close(): Promise<void> {
    await this.#lastAppend;
    await this.handle.close();
  }

  async #append(line: string): Promise<void> {
    try {
      await this.#openCurrentFile();
      await this.handle.appendFile(line);
    } catch (error) {
      throw unwritableAuditError(this.path, describeCause(error));
    }
  }

  /** Rotates a file that is too large. If another server has rotated or removed the file, opens the new one. */
  async #openCurrentFile(): Promise<void> {
    const { ino, size } = await this.handle.stat();
    const current = await lstat(this.path).catch(() => undefined);
    const isCurrent = current?.ino === ino;
    if (isCurrent && size < this.limits.maxBytes) return;
    if (isCurrent) {
      await rename(this.path, this.#buildOldPath(new Date()));
      await this.#removeOldFiles();
    }
    const handle = await openForAppending(this.path);
    await this.handle.close();
    this.handle = handle;
  }

  /** Returns a unique path, so that two servers that do this simultaneously do not replace each other's file. */
  #buildOldPath(time: Date): string {
    const extension = extname(this.path);
    const stamp = `${time.toISOString().replaceAll(/[:.]/g, "-")}-${randomUUID().slice(0, 8)}`;
    return join(dirname(this.path), `${basename(this.path, extension)}.${stamp}${extension}`);
  }

  async #removeOldFiles(): Promise<void> {
    const extension = extname(this.path);
    const prefix = `${basename(this.path, extension)}.`;
    const names = (await readdir(dirname(this.path))).filter(
      (name) =>
        name.startsWith(prefix) &&
        name.endsWith(extension) &&
        /^\d{4}-\d\d-\d\dT[\d-]+Z-[\da-f]{8}$/.test(
          name.slice(prefix.length, name.length - extension.length),
        ),
    );
    for (const name of names.sort().slice(0, -this.limits.maxOldFiles))
      await rm(join(dirname(this.path), name), { force: true });
  }
}

/** Follows no link, waits for no reader of a named pipe, and changes the permissions of nothing but a file. */
const openForAppending = async (path: string): Promise<FileHandle> => {
  const handle = await open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    if (!(await handle.stat()).isFile()) throw new Error("it is not a regular file");
    // Another program may have created the file with other permissions.
    await handle.chmod(0o600);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};
