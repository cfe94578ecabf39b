import { createHash, randomBytes } from "node:crypto";
import { chown, mkdir, open, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { privateCacheDir } from "../directories.js";
import { platformErrors } from "../platform-error.js";
import { type Account, isRoot } from "./account.js";
import type { Binaries } from "./binaries.js";
import { type ClusterImage, loadImage, readCluster, saveImage, writeCluster } from "./cluster-image.js";
import { runProgram } from "./run-program.js";

export const superuser = "postgres";

/** What `initdb` is asked for; part of the image's name, so that another choice makes another image. */
const initdbParameters = ({ major }: Binaries): string[] => [
  "--username",
  superuser,
  "--encoding",
  "UTF8",
  "--auth",
  "scram-sha-256",
  "--no-sync",
  "--no-locale",
  // Segments of 1 MiB instead of 16: a new cluster is half the size.
  "--wal-segsize",
  "1",
  // Unicode's letters without the system's locales, which differ from machine to machine.
  ...(major >= 17 ? ["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"] : []),
  ...(major >= 18 ? ["--no-data-checksums"] : []),
];

/** Passwords always, also for the superuser: other users of the machine reach the port, too. */
const hostRules = ["127.0.0.1/32", "::1/128"]
  .map((address) => `host all all ${address} scram-sha-256\n`)
  .join("");

/**
 * How Postgres is told its data directory. As another account it may not be able to walk down to it from the root (a
 * directory below somebody's 0700 home), but it needs not: it begins in it, and Linux lets a process name where it is.
 */
export const dataDirectoryParameter = (
  directory: string,
  binaries: Binaries,
  account: Account | undefined,
): string => (account !== undefined && canStayWhereItBegins(binaries) ? "/proc/self/cwd" : directory);

/** Before version 16 Postgres leaves its directory for a moment as it starts, and could not come back. */
const canStayWhereItBegins = ({ major }: Binaries): boolean => process.platform === "linux" && major >= 16;

/** @throws PlatformError `platform:data_dir_unwritable` when Postgres could not work in a directory inside of this one. */
export const refuseUnreachable = async (
  directory: string,
  binaries: Binaries,
  account: Account | undefined,
): Promise<void> => {
  if (account === undefined || canStayWhereItBegins(binaries)) return;
  const { status } = await runProgram("/bin/sh", ["-c", 'cd "$1"', "sh", directory], { account });
  if (status !== 0) throw platformErrors.dataDirUnreachable(directory, binaries.version);
};

/**
 * Makes a new cluster in `directory`, which must not exist: from the image of an earlier one, else by initdb.
 *
 * @param meanwhile called when initdb has begun.
 * @returns the superuser's password, and the image when it is new and worth saving with `saveClusterImage`.
 * @throws PlatformError `platform:postgres_failed`.
 */
export const createCluster = async (
  directory: string,
  binaries: Binaries,
  account: Account | undefined,
  meanwhile: () => void = () => undefined,
): Promise<{ password: string; newImage: ClusterImage | undefined }> => {
  await mkdir(directory, { mode: 0o700 });
  if (account !== undefined) await chown(directory, account.uid, account.gid);

  const path = await imagePath(binaries);
  const image = path === undefined ? undefined : await loadImage(path);
  if (image !== undefined) {
    writeCluster(image, directory, account);
    return { password: image.contents.password, newImage: undefined };
  }
  const password = randomBytes(24).toString("hex");
  await initdb(directory, binaries, account, password, meanwhile);
  return { password, newImage: path === undefined ? undefined : readCluster(directory, password) };
};

/** Keeps the image for the next cluster. A cache: failing changes nothing but the next start's time. */
export const saveClusterImage = async (image: ClusterImage, binaries: Binaries): Promise<void> => {
  const path = await imagePath(binaries);
  if (path !== undefined) await saveImage(image, path).catch(() => undefined);
};

/** One image for each Postgres: its version, and its file's size and time for those rebuilt under the same version. */
const imagePath = async (binaries: Binaries): Promise<string | undefined> => {
  const cache = await privateCacheDir();
  if (cache === undefined) return undefined;
  const { size, mtimeMs } = await stat(join(binaries.directory, "postgres"));
  const key = createHash("sha256")
    .update(JSON.stringify([binaries, size, mtimeMs, initdbParameters(binaries), hostRules]))
    .digest("hex");
  return join(cache, `cluster-${binaries.version}-${key.slice(0, 16)}`);
};

const initdb = async (
  directory: string,
  binaries: Binaries,
  account: Account | undefined,
  password: string,
  meanwhile: () => void,
): Promise<void> => {
  const secret = await passwordFile(directory, account, password);
  try {
    const running = runProgram(
      join(binaries.directory, "initdb"),
      [
        "--pgdata",
        dataDirectoryParameter(directory, binaries, account),
        "--pwfile",
        "/dev/fd/3",
        ...initdbParameters(binaries),
      ],
      { account, cwd: directory, inherit: secret.fd },
    );
    meanwhile();
    const { status, stderr } = await running;
    if (status !== 0) throw platformErrors.postgresFailed("initdb could not make a cluster", stderr.trim());
  } finally {
    await secret.close();
  }
  const rules = join(directory, "pg_hba.conf");
  await writeFile(rules, hostRules);
};

/** An open file without a name, so that the password is in no directory and no process list. */
const passwordFile = async (directory: string, account: Account | undefined, password: string) => {
  const path = `${directory}.${randomBytes(6).toString("hex")}`;
  const file = await open(path, "wx+", 0o600);
  try {
    if (isRoot() && account !== undefined) await file.chown(account.uid, account.gid);
    await file.write(`${password}\n`, 0);
    return file;
  } finally {
    await rm(path);
  }
};
