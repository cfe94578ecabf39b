import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { secretFileExists, unwritableSecretFile } from "../errors/storage-errors.js";

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** A new file for secrets, which only its owner can read. */
export class SecretFile {
  private isEmpty = true;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** Creates the file. Refuses one that exists, and does not follow a symbolic link. Call it before secrets are created. */
  static async create(path: string, cwd: string): Promise<SecretFile> {
    const file = resolve(cwd, path);
    try {
      return new SecretFile(file, await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    } catch (error) {
      const exists = error instanceof Error && "code" in error && error.code === "EEXIST";
      throw exists ? secretFileExists(file) : unwritableSecretFile(file, error);
    }
  }

  /** Appends a resource, as one line of JSON. */
  async add(resource: unknown): Promise<void> {
    try {
      await this.handle.write(`${JSON.stringify(resource)}\n`);
      this.isEmpty = false;
    } catch (error) {
      throw unwritableSecretFile(this.path, error);
    }
  }

  /** Closes the file, and removes it if nothing was added. Returns whether it remains. */
  async close(): Promise<boolean> {
    await this.handle.close();
    if (this.isEmpty) await rm(this.path, { force: true });
    return !this.isEmpty;
  }
}
