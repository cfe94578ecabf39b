import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { secretFileExistsError, unwritableSecretFileError } from "../errors/storage-errors.js";

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** A new file for secrets, which only its owner can read. */
export class SecretFile {
  /** Bytes of the resources that were written completely. */
  private writtenBytes = 0;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** Creates the file. Rejects one that exists, and does not follow a symbolic link. Call it before secrets are created. */
  static async create(path: string, cwd: string): Promise<SecretFile> {
    const absolutePath = resolve(cwd, path);
    try {
      return new SecretFile(
        absolutePath,
        await open(absolutePath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600),
      );
    } catch (error) {
      throw readErrorCode(error) === "EEXIST"
        ? secretFileExistsError(absolutePath)
        : unwritableSecretFileError(absolutePath, error);
    }
  }

  /** Appends a resource, as one line of JSON. Throws an error of the file system if it is not written completely. */
  async append(resource: unknown): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(resource)}\n`);
    try {
      // Unlike write, which may stop early without an error, this writes everything or fails.
      await this.handle.appendFile(line);
      this.writtenBytes += line.length;
    } catch (error) {
      await this.handle.truncate(this.writtenBytes).catch(() => undefined);
      throw error;
    }
  }

  /** Closes the file, and removes it if nothing was added. Returns whether it remains. */
  async close(): Promise<boolean> {
    await this.handle.close();
    if (this.writtenBytes === 0) await rm(this.path, { force: true });
    return this.writtenBytes > 0;
  }
}
