import { readFile } from "node:fs/promises";
import { platformErrors } from "../../errors/platform-error.js";

/** The account that runs Postgres when the platform runs as root, because Postgres refuses to run as root. */
export interface SystemAccount {
  uid: number;
  gid: number;
}

/**
 * Existing system accounts to try, in order of preference. No account is created. `nobody` is the last one, because unrelated programs
 * run as nobody and could read the cluster.
 */
const candidateAccountNames = ["postgres", "_postgres", "daemon", "nobody"];

/** Returns whether this process runs as root, as which Postgres refuses to start. False on Windows. */
export const isRunningAsRoot = (): boolean => process.geteuid?.() === 0;

/**
 * Returns the account to run Postgres as, or undefined for the current user.
 *
 * @throws PlatformError `platform:unsupported_system` when running as root and no unprivileged account is found.
 */
export const findPostgresAccount = async (): Promise<SystemAccount | undefined> => {
  if (!isRunningAsRoot()) return undefined;
  const [account] = await readSystemAccounts();
  if (account !== undefined) return account;
  throw platformErrors.unsupportedSystem(
    `Postgres does not run as root, and /etc/passwd contains none of the accounts ${candidateAccountNames.join(", ")}`,
    "Run the platform as another user.",
  );
};

/** Returns the accounts that Postgres may run as when the platform runs as root. */
export const readSystemAccounts = async (): Promise<SystemAccount[]> => {
  const accounts = parsePasswd(await readFile("/etc/passwd", "utf8").catch(() => ""));
  return candidateAccountNames.flatMap((name) => accounts.get(name) ?? []);
};

const parsePasswd = (text: string): Map<string, SystemAccount> => {
  const accounts = new Map<string, SystemAccount>();
  for (const line of text.split("\n")) {
    const [name, , uid, gid] = line.split(":");
    // On macOS the ids of nobody are -2.
    const account = { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
    if (name !== undefined && account.uid > 0) accounts.set(name, account);
  }
  return accounts;
};
