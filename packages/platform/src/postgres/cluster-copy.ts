import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lchown, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../data-dir/atomic-file.js";
import { openOwn } from "../data-dir/own-file.js";
import type { Account } from "./account.js";

/**
 * Replaces a cluster that belongs to this account by a copy that belongs to another one. The owner of existing files does not
 * change, because a file may also have a name outside the cluster.
 *
 * @throws PlatformError `platform:data_dir_unsafe` when it contains links, or files of other accounts.
 */
export const replaceByCopy = async (cluster: string, account: Account): Promise<void> => {
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

/** Gives the directory to the account last: until then the account can replace nothing in it. */
const copyDirectory = async (from: string, to: string, account: Account): Promise<void> => {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    // A server that was killed leaves its socket.
    if (entry.isSocket()) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    await (entry.isDirectory() ? copyDirectory : copyFile)(source, target, account);
  }
  await syncDirectory(to);
  await lchown(to, account.uid, account.gid);
};

const copyFile = async (from: string, to: string, { uid, gid }: Account): Promise<void> => {
  const source = await openOwn(from, constants.O_RDONLY);
  try {
    const target = await open(to, "wx", 0o600);
    try {
      for await (const bytes of source.createReadStream({ autoClose: false })) await target.appendFile(bytes);
      await target.sync();
      await target.chown(uid, gid);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};
