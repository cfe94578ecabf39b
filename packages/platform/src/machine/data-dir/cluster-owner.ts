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
export const claimOwnership = async (cluster: string): Promise<SystemAccount | undefined> => {
  if (!isRunningAsRoot()) return undefined;
  const { uid, gid } = await lstat(cluster);
  const accounts = await readSystemAccounts();
  if (accounts.some((account) => account.uid === uid)) return { uid, gid };
  if (uid !== 0) throw platformErrors.dataDirUnsafe(cluster, "it belongs to another account");
  const account = await findPostgresAccount();
  if (account !== undefined) await replaceByCopy(cluster, account);
  return account;
};

/**
 * Replaces a cluster that belongs to this account by a copy that belongs to another one. The owner of existing files does not
 * change, because a file may also have a name outside the cluster.
 *
 * @throws PlatformError `platform:data_dir_unsafe` when it contains links, or files of other accounts.
 */
const replaceByCopy = async (cluster: string, account: SystemAccount): Promise<void> => {
  const unique = `${cluster}.${randomBytes(6).toString("hex")}`;
  const [copy, former] = [`${unique}.tmp`, `${unique}.former`];
  try {
    await copyDirectory(cluster, copy, account);
    await rename(cluster, former);
    await rename(copy, cluster);
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw error;
  }
  await syncDirectory(dirname(cluster));
  await rm(former, { recursive: true, force: true });
};

const formerSuffixPattern = /^\.[0-9a-f]{12}\.former$/;

/**
 * Repairs the directory after a process that was killed while it replaced the cluster by a copy: moves the former cluster back if there is
 * no cluster, and removes it otherwise. Nothing else may be using the directory.
 */
export const finishReplacement = async (cluster: string): Promise<void> => {
  const directory = dirname(cluster);
  const name = basename(cluster);
  for (const entry of await readdir(directory)) {
    if (!entry.startsWith(name) || !formerSuffixPattern.test(entry.slice(name.length))) continue;
    const former = join(directory, entry);
    if ((await lstat(cluster).catch(() => undefined)) === undefined) await rename(former, cluster);
    else await rm(former, { recursive: true, force: true });
  }
};

/** Files that are copied at once. The file system syncs them together. */
const maxConcurrentCopies = 32;

/** Changes the owner of the directory last, because the account could replace files in a directory that it owns. */
const copyDirectory = async (from: string, to: string, account: SystemAccount): Promise<void> => {
  await mkdir(to, { mode: 0o700 });
  // A server that was killed leaves its socket.
  const entries = (await readdir(from, { withFileTypes: true })).filter((entry) => !entry.isSocket());
  while (entries.length > 0) {
    const copies = entries.splice(0, maxConcurrentCopies).map((entry) => {
      const copy = entry.isDirectory() ? copyDirectory : copyFile;
      return copy(join(from, entry.name), join(to, entry.name), account);
    });
    const failed = (await Promise.allSettled(copies)).find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }
  await syncDirectory(to);
  await lchown(to, account.uid, account.gid);
};

const copyFile = async (from: string, to: string, { uid, gid }: SystemAccount): Promise<void> => {
  const source = await openOwnedFile(from, constants.O_RDONLY);
  try {
    const target = await open(to, "wx", 0o600);
    try {
      for await (const bytes of source.createReadStream({ autoClose: false })) await target.appendFile(bytes);
      await syncFile(target);
      await target.chown(uid, gid);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};
