import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lchown, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncDirectory } from "./atomic-file.js";
import { openOwnedFile } from "./safe-file.js";
import { syncFile } from "@mgmt/internal/files/sync-file";
import { platformErrors } from "../../errors/platform-error.js";
import {
  type SystemAccount,
  findPostgresAccount,
  isRunningAsRoot,
  readSystemAccounts,
} from "./postgres-account.js";

/**
 * Returns the account to run Postgres as on an existing cluster, which must be its owner; undefined for the current user.
 * A cluster owned by root, such as one restored from a copy, is first replaced by a copy of the account that `findPostgresAccount` returns.
 */
export const ensureClusterAccount = async (cluster: string): Promise<SystemAccount | undefined> => {
  if (!isRunningAsRoot()) return undefined;
  const { uid, gid } = await lstat(cluster);
  const accounts = await readSystemAccounts();
  if (accounts.some((account) => account.uid === uid)) return { uid, gid };
  if (uid !== 0) throw platformErrors.dataDirUnsafe(cluster, "it belongs to another account");
  const account = await findPostgresAccount();
  if (account !== undefined) await replaceClusterByCopy(cluster, account);
  return account;
};

/**
 * Replaces a cluster that belongs to this account by a copy that belongs to another one. The owner of existing files does not
 * change, because a file may also have a name outside the cluster.
 *
 * @throws PlatformError `platform:data_dir_unsafe` when it contains links, or files of other accounts.
 */
const replaceClusterByCopy = async (cluster: string, account: SystemAccount): Promise<void> => {
  const uniquePath = `${cluster}.${randomBytes(6).toString("hex")}`;
  const [copyPath, formerPath] = [`${uniquePath}.tmp`, `${uniquePath}.former`];
  try {
    await copyDirectory(cluster, copyPath, account);
    await rename(cluster, formerPath);
    await rename(copyPath, cluster);
  } catch (error) {
    await rm(copyPath, { recursive: true, force: true });
    throw error;
  }
  await syncDirectory(dirname(cluster));
  await rm(formerPath, { recursive: true, force: true });
};

const formerSuffixPattern = /^\.[0-9a-f]{12}\.former$/;

/**
 * Repairs the directory after a process that was killed while it replaced the cluster by a copy: moves the former cluster back if there is
 * no cluster, and removes it otherwise. Nothing else may be using the directory.
 */
export const finishClusterReplacement = async (cluster: string): Promise<void> => {
  const directory = dirname(cluster);
  const name = basename(cluster);
  for (const entry of await readdir(directory)) {
    if (!entry.startsWith(name) || !formerSuffixPattern.test(entry.slice(name.length))) continue;
    const formerPath = join(directory, entry);
    if ((await lstat(cluster).catch(() => undefined)) === undefined) await rename(formerPath, cluster);
    else await rm(formerPath, { recursive: true, force: true });
  }
};

/** Maximum number of files that are copied concurrently. The file system syncs them together. */
const maxConcurrentCopies = 32;

/** Changes the owner of the directory last, because the account could replace files in a directory that it owns. */
const copyDirectory = async (fromPath: string, toPath: string, account: SystemAccount): Promise<void> => {
  await mkdir(toPath, { mode: 0o700 });
  // A server that was killed leaves its socket.
  const entries = (await readdir(fromPath, { withFileTypes: true })).filter((entry) => !entry.isSocket());
  while (entries.length > 0) {
    const copies = entries.splice(0, maxConcurrentCopies).map((entry) => {
      const copyEntry = entry.isDirectory() ? copyDirectory : copyFile;
      return copyEntry(join(fromPath, entry.name), join(toPath, entry.name), account);
    });
    const failedCopy = (await Promise.allSettled(copies)).find((result) => result.status === "rejected");
    if (failedCopy) throw failedCopy.reason;
  }
  await syncDirectory(toPath);
  await lchown(toPath, account.uid, account.gid);
};

const copyFile = async (fromPath: string, toPath: string, { uid, gid }: SystemAccount): Promise<void> => {
  const sourceFile = await openOwnedFile(fromPath, constants.O_RDONLY);
  try {
    const targetFile = await open(toPath, "wx", 0o600);
    try {
      for await (const bytes of sourceFile.createReadStream({ autoClose: false }))
        await targetFile.appendFile(bytes);
      await syncFile(targetFile);
      await targetFile.chown(uid, gid);
    } finally {
      await targetFile.close();
    }
  } finally {
    await sourceFile.close();
  }
};
