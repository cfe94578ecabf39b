import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { platformErrors, systemErrorCode } from "../platform-error.js";
import { type ProcessIdentity, isAlive, ownIdentity } from "./process-identity.js";

export const lockName = "platform.lock";

/** One platform for a data directory. The lock of a process that is gone is nobody's. */
export class DirectoryLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @throws PlatformError `platform:data_dir_in_use`, or the system's error when the directory cannot be written. */
  static async acquire(dataDir: string): Promise<DirectoryLock> {
    const path = join(dataDir, lockName);
    const own = `${path}.${randomBytes(6).toString("hex")}`;
    await writeFile(own, JSON.stringify(await ownIdentity()), { flag: "wx", mode: 0o600 });
    try {
      for (;;) {
        try {
          // A link appears with its whole content, or fails where there is one.
          await link(own, path);
          return new DirectoryLock(path);
        } catch (error) {
          if (systemErrorCode(error) !== "EEXIST") throw error;
        }
        const owner = await lockOwner(dataDir);
        if (owner !== undefined && (await isAlive(owner)))
          throw platformErrors.dataDirInUse(dataDir, owner.pid);
        await removeStale(path, own, owner);
      }
    } finally {
      await rm(own, { force: true });
    }
  }

  async release(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** Who holds the lock; undefined when there is none, or an unreadable one. */
export const lockOwner = async (dataDir: string): Promise<ProcessIdentity | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(join(dataDir, lockName), "utf8"));
    return isIdentity(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isIdentity = (value: unknown): value is ProcessIdentity =>
  typeof value === "object" &&
  value !== null &&
  "pid" in value &&
  typeof value.pid === "number" &&
  "started" in value &&
  (typeof value.started === "string" || value.started === null);

/** Of two processes that find the same stale lock, one moves it away; the other may have moved the winner's own. */
const removeStale = async (path: string, own: string, stale: ProcessIdentity | undefined): Promise<void> => {
  const aside = `${own}.stale`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return;
    throw error;
  }
  const moved = await readFile(aside, "utf8");
  if (moved !== (stale === undefined ? moved : JSON.stringify(stale)))
    await link(aside, path).catch(() => undefined);
  await unlink(aside);
};
