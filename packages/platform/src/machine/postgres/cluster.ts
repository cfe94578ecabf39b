import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, lchown, mkdir, open, rm, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { removeUnfinishedFiles, buildTemporaryPath, writeAtomically } from "../data-dir/atomic-file.js";
import { readRegularFile } from "../data-dir/safe-file.js";
import { ensurePrivateCacheDir } from "../data-dir/directories.js";
import { recordsDatabase, recordsSchema } from "@mgmt/cluster/rows/records-location";
import { buildSchemaStatements } from "@mgmt/cluster/rows/new-schema";
import { superuser } from "@mgmt/cluster/policy/dedicated-cluster";
import { platformErrors } from "../../errors/platform-error.js";
import { type SystemAccount, isRunningAsRoot } from "../data-dir/postgres-account.js";
import type { Binaries } from "./binaries.js";
import {
  type ClusterImage,
  imageFormat,
  loadImage,
  readCluster,
  saveImage,
  writeCluster,
} from "./cluster-image.js";
import { hasProcessFiles } from "./process-files.js";
import { runProgram } from "./run-program.js";
import { sharedMemoryType } from "./shared-memory.js";

/** Parameters of `initdb`. They are part of the name of the image, so changing them creates a new image. */
const buildInitdbParameters = ({ major }: Binaries): string[] => [
  "--username",
  superuser,
  "--encoding",
  "UTF8",
  "--auth",
  "scram-sha-256",
  "--no-sync",
  "--no-locale",
  // Segments of 1 MiB instead of 16 MiB halve the size of a new cluster.
  "--wal-segsize",
  "1",
  // The built-in locale provider behaves the same on every machine.
  ...(major >= 17 ? ["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"] : []),
  ...(major >= 18 ? ["--no-data-checksums"] : []),
  ...(major >= 16 ? ["--set", `dynamic_shared_memory_type=${sharedMemoryType}`] : []),
];

/**
 * Locales that know the letters of all languages, by the names of different systems, the preferred one first. The order of text does not
 * depend on them. Before version 17, Postgres has no such locale of its own, and takes it from the system.
 */
const listCharacterLocales = ({ major }: Binaries): string[] =>
  major >= 17 ? [] : ["C.UTF-8", "en_US.UTF-8", "UTF-8"];

/** Every user needs a password, including the superuser, because other users on this machine can reach the port. */
const hostAccessRules =
  "local all all scram-sha-256\n" +
  "host all all 127.0.0.1/32 scram-sha-256\n" +
  "host all all ::1/128 scram-sha-256\n";

const accessRulesFileName = "pg_hba.conf";

/** Writes `pg_hba.conf`, unless it has the current rules. */
export const writeAccessRules = async (directory: string): Promise<void> => {
  const path = join(directory, accessRulesFileName);
  await removeUnfinishedFiles(directory, [accessRulesFileName]);
  const currentRules = await readRegularFile(path).catch(() => undefined);
  if (currentRules !== hostAccessRules) await writeAtomically(path, hostAccessRules, { isDurable: false });
};

/**
 * Returns the `-D` argument of Postgres. When Postgres runs as another account, that account may lack access to a parent
 * directory, such as a home with mode 0700. On Linux, Postgres is then started in the directory and opens it through
 * `/proc/self/cwd`.
 */
export const getDataDirectoryParameter = (
  directory: string,
  binaries: Binaries,
  account: SystemAccount | undefined,
): string => (account !== undefined && canUseWorkingDirectory(binaries) ? "/proc/self/cwd" : directory);

/** Before this version, Postgres changes its working directory during startup and cannot return to it. */
const minWorkingDirectoryMajor = 16;

const canUseWorkingDirectory = ({ major }: Binaries): boolean =>
  process.platform === "linux" && major >= minWorkingDirectoryMajor && hasProcessFiles();

/**
 * Throws unless the account of Postgres can reach directories inside this one.
 *
 * @throws PlatformError `platform:data_dir_unwritable`.
 */
export const assertDirectoryReachable = async (
  directory: string,
  binaries: Binaries,
  account: SystemAccount | undefined,
): Promise<void> => {
  if (account === undefined || canUseWorkingDirectory(binaries)) return;
  const { status } = await runProgram("/bin/sh", ["-c", 'cd "$1"', "sh", directory], { account });
  if (status === 0) return;
  const remedy =
    binaries.major < minWorkingDirectoryMajor
      ? `On Linux, Postgres ${String(minWorkingDirectoryMajor)} and newer can use such a directory.`
      : "Linux can use such a directory if /proc is mounted.";
  throw platformErrors.dataDirUnreachable(directory, binaries.version, remedy);
};

/** Callbacks and cancellation for programs that a start waits for. */
export interface WaitOptions {
  /** Called after the start of initdb or of the server, which take a while. */
  onProgramStarted?: (() => void) | undefined;
  /** Aborting it kills the programs. */
  signal?: AbortSignal | undefined;
}

/**
 * Creates a cluster in `directory`, which must not exist, from a cached image or with initdb.
 *
 * @returns the password of the superuser, and an image to save with `saveClusterImage` when none was cached.
 * @throws PlatformError `platform:postgres_failed`, `platform:disk_full`, `platform:unsupported_system`.
 */
export const createCluster = async (
  directory: string,
  binaries: Binaries,
  account: SystemAccount | undefined,
  waitOptions: WaitOptions = {},
): Promise<{ password: string; newImage: ClusterImage | undefined }> => {
  await mkdir(directory, { mode: 0o700 });
  const imagePath = await findImagePath(binaries);
  const image = imagePath === undefined ? undefined : await loadImage(imagePath);
  if (image !== undefined) {
    writeCluster(image, directory, account);
    return { password: image.contents.password, newImage: undefined };
  }
  if (account === undefined) assertAccountKnown();
  else await lchown(directory, account.uid, account.gid);
  const password = randomBytes(24).toString("hex");
  await runInitdb(directory, binaries, account, password, waitOptions);
  await createRecordTables(directory, binaries, account, waitOptions);
  return { password, newImage: imagePath === undefined ? undefined : readCluster(directory, password) };
};

/** Throws for an account that initdb cannot look up. The server itself runs as any account. */
const assertAccountKnown = (): void => {
  try {
    userInfo();
  } catch {
    throw platformErrors.accountUnknown(process.geteuid?.() ?? -1);
  }
};

/** Caches the image for the next cluster. Failures are ignored: they only make the next first start slower. */
export const saveClusterImage = async (image: ClusterImage, binaries: Binaries): Promise<void> => {
  try {
    const path = await findImagePath(binaries);
    if (path !== undefined) await saveImage(image, path);
  } catch {
    // The next first start tries again.
  }
};

/**
 * Returns the path of the image for this Postgres. The key includes the size and time of the program, so that a rebuild of the same
 * version gets its own image.
 */
const findImagePath = async (binaries: Binaries): Promise<string | undefined> => {
  const cacheDirectory = await ensurePrivateCacheDir();
  if (cacheDirectory === undefined) return undefined;
  const { size, mtimeMs } = await stat(join(binaries.directory, "postgres"));
  const key = createHash("sha256")
    .update(
      JSON.stringify([
        imageFormat,
        binaries,
        size,
        mtimeMs,
        buildInitdbParameters(binaries),
        listCharacterLocales(binaries),
        buildSchemaStatements(recordsSchema),
      ]),
    )
    .digest("hex");
  return join(cacheDirectory, `cluster-${binaries.version}-${key.slice(0, 16)}`);
};

const runInitdb = async (
  directory: string,
  binaries: Binaries,
  account: SystemAccount | undefined,
  password: string,
  { onProgramStarted, signal }: WaitOptions,
): Promise<void> => {
  const passwordFile = await openPasswordFile(directory, account, password);
  const localeChoices = [...listCharacterLocales(binaries).map((locale) => ["--lc-ctype", locale]), []];
  try {
    for (const localeParameters of localeChoices) {
      const pendingResult = runProgram(
        join(binaries.directory, "initdb"),
        [
          "--pgdata",
          getDataDirectoryParameter(directory, binaries, account),
          "--pwfile",
          passwordFile.path,
          ...buildInitdbParameters(binaries),
          ...localeParameters,
        ],
        { account, cwd: directory, inheritedDescriptor: passwordFile.file.fd, signal },
      );
      onProgramStarted?.();
      const { status, stderr } = await pendingResult;
      if (status === 0) return;
      // initdb checks the locale before it creates files, so it can run again without one.
      const isMissingLocale = localeParameters.length > 0 && stderr.includes("invalid locale");
      if (!isMissingLocale) throw programFailedError(directory, "initdb failed to create a cluster", stderr);
    }
  } finally {
    await passwordFile.close();
  }
};

/**
 * Creates the empty tables of the records. This is the slowest part of a first start, so the tables are part of the image.
 * Uses single-user mode, in which a semicolon followed by an empty line ends a statement.
 */
const createRecordTables = async (
  directory: string,
  binaries: Binaries,
  account: SystemAccount | undefined,
  { signal }: WaitOptions,
): Promise<void> => {
  const { status, stderr } = await runProgram(
    join(binaries.directory, "postgres"),
    [
      "--single",
      "-j",
      "-D",
      getDataDirectoryParameter(directory, binaries, account),
      ...singleUserParameters,
      recordsDatabase,
    ],
    {
      account,
      cwd: directory,
      signal,
      input: buildSchemaStatements(recordsSchema)
        .map((statement) => `${statement};\n\n`)
        .join(""),
    },
  );
  if (status !== 0) {
    throw programFailedError(directory, "Postgres failed to create the tables of the records", stderr);
  }
};

/**
 * Makes the files of a new cluster survive a power failure. Postgres syncs only files that it changes, and neither the image nor initdb is
 * synced when it is written. The server may be running.
 *
 * @throws PlatformError `platform:postgres_failed`.
 */
export const syncCluster = async (
  directory: string,
  binaries: Binaries,
  account: SystemAccount | undefined,
): Promise<void> => {
  // Linux can sync all files with one system call.
  const syncParameters = process.platform === "linux" && binaries.major >= 17 ? ["--sync-method=syncfs"] : [];
  const { status, stderr } = await runProgram(
    join(binaries.directory, "initdb"),
    ["--sync-only", ...syncParameters, "--pgdata", getDataDirectoryParameter(directory, binaries, account)],
    { account, cwd: directory },
  );
  if (status !== 0) throw programFailedError(directory, "initdb failed to sync the cluster", stderr);
};

/**
 * Returns the error for a program of Postgres that has failed with these messages. Programs of Postgres run in the C locale.
 *
 * @param problem a sentence: `Postgres did not start`.
 */
export const programFailedError = (directory: string, problem: string, messages: string): Error =>
  /No space left on device|Disk quota exceeded/.test(messages)
    ? platformErrors.diskFull(directory)
    : platformErrors.postgresFailed(problem, messages.trim());

/** Postgres neither syncs nor keeps a log of changes that is larger than needed. */
const singleUserParameters = Object.entries({
  exit_on_error: "on",
  dynamic_shared_memory_type: sharedMemoryType,
  fsync: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  min_wal_size: "2MB",
  max_wal_size: "2MB",
  // Old segments would be part of the image.
  wal_recycle: "off",
}).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** A file with the password, and its path for initdb, which inherits it as the descriptor 3. */
interface PasswordFile {
  readonly path: string;
  readonly file: FileHandle;
  readonly close: () => Promise<void>;
}

/**
 * Opens a file with the password and unlinks it, so that the password appears in no directory and no process list. Where `/dev/fd`
 * leads nowhere, only the account of Postgres can read the file, and it is unlinked after its use.
 */
const openPasswordFile = async (
  directory: string,
  account: SystemAccount | undefined,
  password: string,
): Promise<PasswordFile> => {
  const path = buildTemporaryPath(directory);
  const file = await open(path, "wx+", 0o600);
  const hasDescriptorPaths = existsSync("/dev/fd");
  try {
    if (isRunningAsRoot() && account !== undefined) await file.chown(account.uid, account.gid);
    await file.write(`${password}\n`, 0);
  } catch (error) {
    await file.close();
    await rm(path);
    throw error;
  }
  if (hasDescriptorPaths) await rm(path);
  return {
    path: hasDescriptorPaths ? "/dev/fd/3" : path,
    file,
    close: async () => {
      await file.close();
      await rm(path, { force: true });
    },
  };
};
