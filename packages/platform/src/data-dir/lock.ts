import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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
      while (!(await appears(own, path))) {
        const owner = await readOwner(path);
        if (owner !== undefined && (await isAlive(owner)))
          throw platformErrors.dataDirInUse(dataDir, owner.pid);
        await removeStale(path, own);
      }
      return new DirectoryLock(path);
    } finally {
      await rm(own, { force: true });
    }
  }

  async release(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** Who holds the lock; undefined when there is none, or an unreadable one. */
export const lockOwner = (dataDir: string): Promise<ProcessIdentity | undefined> =>
  readOwner(join(dataDir, lockName));

const readOwner = async (path: string): Promise<ProcessIdentity | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
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

/** A link appears with its whole content, or not at all where there is one already. */
const appears = async (own: string, path: string): Promise<boolean> => {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw error;
  }
};

/** One process at a time looks again and removes: what another one has just taken is not stale. */
const removeStale = async (path: string, own: string): Promise<void> => {
  const removal = `${path}.removal`;
  if (!(await appears(own, removal))) {
    const remover = await readOwner(removal);
    if (remover !== undefined && !(await isAlive(remover))) await rm(removal, { force: true });
    await sleep(5);
    return;
  }
  try {
    const owner = await readOwner(path);
    if (owner === undefined || !(await isAlive(owner))) await rm(path, { force: true });
  } finally {
    await rm(removal, { force: true });
  }
};
