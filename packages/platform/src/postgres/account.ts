import { lchown, readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { platformErrors } from "../platform-error.js";

/** Who Postgres runs as when we are root: it refuses to run as root itself. */
export interface Account {
  uid: number;
  gid: number;
}

/** Accounts that systems bring along, the most fitting first; none is ever created. */
const names = ["postgres", "_postgres", "nobody"];

export const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * The account that Postgres runs as, or undefined when that is our own.
 *
 * @throws PlatformError `platform:unsupported_system` when we are root and no unprivileged account is known.
 */
export const findAccount = async (): Promise<Account | undefined> => {
  if (!isRoot()) return undefined;
  const accounts = parsePasswd(await readFile("/etc/passwd", "utf8").catch(() => ""));
  for (const name of names) {
    const account = accounts.get(name);
    if (account !== undefined) return account;
  }
  throw platformErrors.unsupportedSystem(
    `Postgres does not run as root, and /etc/passwd has none of the accounts ${names.join(", ")}.`,
    "Run the platform as another user.",
  );
};

/**
 * The account that owns an existing cluster, which no other may serve; undefined when that is our own. A cluster that root
 * owns, as one brought back from a copy, is given to the account that serves new ones.
 */
export const takeOver = async (cluster: string): Promise<Account | undefined> => {
  if (!isRoot()) return undefined;
  const { uid, gid } = await stat(cluster);
  if (uid !== 0) return { uid, gid };
  const account = await findAccount();
  if (account !== undefined) await giveTo(account, cluster);
  return account;
};

const giveTo = async ({ uid, gid }: Account, directory: string): Promise<void> => {
  await lchown(directory, uid, gid);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await giveTo({ uid, gid }, path);
    else await lchown(path, uid, gid);
  }
};

const parsePasswd = (text: string): Map<string, Account> => {
  const accounts = new Map<string, Account>();
  for (const line of text.split("\n")) {
    const [name, , uid, gid] = line.split(":");
    // macOS writes nobody's ids as -2.
    const account = { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
    if (name !== undefined && account.uid > 0) accounts.set(name, account);
  }
  return accounts;
};
