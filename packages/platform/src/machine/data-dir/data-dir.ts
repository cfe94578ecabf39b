import { chmod, lstat, readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { PlatformError, isCausedByFullDisk, platformErrors } from "../../errors/platform-error.js";
import { isRunningAsRoot } from "./postgres-account.js";
import { finishClusterReplacement } from "./cluster-owner.js";
import { isUnfinishedFile, removeUnfinishedFiles, syncParents } from "./atomic-file.js";
import { DirectoryLock, lockFileName, pipeFilePattern } from "./directory-lock.js";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import {
  type Manifest,
  UnknownFormatError,
  isCopiedDir,
  manifestFileName,
  readManifest,
} from "./manifest.js";
import { type CheckedNames, rejectForeign, rejectForeignParents } from "./ownership.js";
import { readRegularFile } from "./safe-file.js";

/** A data directory that this process holds the lock of. */
export interface DataDir {
  path: string;
  ephemeral: boolean;
  /** The manifest of earlier runs; undefined on the first run. */
  manifest: Manifest | undefined;
  lock: Pick<DirectoryLock, "descriptor">;
  /** Releases the lock. Removes the directory when it is ephemeral. */
  release(): Promise<void>;
}

/** The files and directories in a data directory. */
export interface DataDirPaths {
  /** The Postgres cluster. */
  cluster: string;
  /** Log of Postgres. */
  log: string;
  /** Service token in the ready line. */
  token: string;
  controlSecret: string;
  /** Key that browsers send once to sign in. */
  signInKey: string;
  /** Keys that encrypt secrets in the records. */
  recordKeys: string;
  /** Directory of the certificates of the database server. */
  tls: string;
}

/** Returns the paths of the files and directories in a data directory. */
export const getDataDirPaths = (dataDir: string): DataDirPaths => ({
  cluster: join(dataDir, "postgres"),
  log: join(dataDir, "postgres.log"),
  token: join(dataDir, "token"),
  controlSecret: join(dataDir, "control-secret"),
  signInKey: join(dataDir, "sign-in-key"),
  recordKeys: join(dataDir, "record-keys"),
  tls: join(dataDir, "tls"),
});

/**
 * Returns the permissions of a data directory. For root, the account of Postgres must be able to traverse the directory; the files inside
 * remain private.
 */
export const getDirectoryMode = (): number => (isRunningAsRoot() ? 0o711 : 0o700);

/**
 * Opens a persistent data directory, or initializes it when it is empty or missing.
 *
 * @throws PlatformError `platform:data_dir_in_use`, `platform:data_dir_corrupt`, `platform:data_dir_incompatible`,
 *   `platform:data_dir_unsafe`, `platform:data_dir_unwritable`. Existing files are not changed in these cases.
 */
export const openDataDir = async (dataDir: string): Promise<DataDir> => {
  const path = resolve(dataDir);
  try {
    await rejectForeignParents(path);
    const isNew = createDirectory(path, getDirectoryMode());
    if (!isNew) await makePrivateIfEmpty(path);
    await rejectForeign(path, getCheckedNames(path));
    const lock = await DirectoryLock.acquire(path);
    try {
      const manifest = await recoverAndReadManifest(path);
      // A killed process may have created the directory without this.
      if (manifest === undefined) await syncParents(path);
      return { path, ephemeral: false, manifest, lock, release: () => lock.release() };
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw isCausedByFullDisk(error)
      ? platformErrors.diskFull(path, error)
      : platformErrors.dataDirUnwritable(path, error);
  }
};

/**
 * Refuses to start on another port than in the last run, because connection strings point to it. A copy of a data directory may,
 * so that it can be used beside the original.
 *
 * @throws PlatformError `platform:port_taken`.
 */
export const assertPortChangeAllowed = async ({ path, manifest }: DataDir, port: number): Promise<void> => {
  if (manifest === undefined || !(await isCopiedDir(path, manifest))) {
    throw platformErrors.databasePortTaken(port, path);
  }
};

const getCheckedNames = (path: string): CheckedNames => {
  const { cluster, log, tls, ...otherPaths } = getDataDirPaths(path);
  return {
    cluster: basename(cluster),
    writtenInPlace: [basename(log)],
    directories: [basename(tls)],
    otherFiles: [
      manifestFileName,
      lockFileName,
      ...Object.values(otherPaths).map((otherPath) => basename(otherPath)),
    ],
    ignoredPattern: pipeFilePattern,
  };
};

/** Removes the write permission of other accounts from a directory that is empty and belongs to this account. */
const makePrivateIfEmpty = async (path: string): Promise<void> => {
  const stats = await lstat(path);
  const isOwnDirectory = stats.isDirectory() && stats.uid === process.geteuid?.();
  if (isOwnDirectory && (await readdir(path)).length === 0) await chmod(path, getDirectoryMode());
};

/** Returns the manifest of a data directory whose first start has finished. */
const recoverAndReadManifest = async (path: string): Promise<Manifest | undefined> => {
  const paths = getDataDirPaths(path);
  let manifest: Manifest | undefined;
  try {
    manifest = await readManifest(path);
  } catch (error) {
    if (error instanceof UnknownFormatError) throw platformErrors.dataDirIncompatible(path, error);
    throw platformErrors.dataDirCorrupt(
      path,
      `platform.json cannot be read (${getErrorMessage(error)})`,
      error,
    );
  }
  if (manifest === undefined) {
    if (!(await hasOnlyStartFiles(path))) throw platformErrors.dataDirForeign(path);
    await removeUnfinishedFiles(path, [manifestFileName]);
    return undefined;
  }
  await finishClusterReplacement(paths.cluster);
  await removeUnfinishedFiles(path, [
    manifestFileName,
    ...Object.values(paths).map((filePath) => basename(filePath)),
  ]);
  // The first start was interrupted before its state was written.
  if (!manifest.postgres.complete) return undefined;

  await rejectUnusableCluster(path, manifest);
  return manifest;
};

/** The start of names of files with which `mgmt dev --here` prepares a data directory. */
const preparedFileNames = [".gitignore", "data-id"];

/** Returns whether a directory contains nothing but prepared files, and the lock and the manifest of a killed first start. */
const hasOnlyStartFiles = async (path: string): Promise<boolean> =>
  (await readdir(path)).every(
    (name) =>
      [lockFileName, ...preparedFileNames].some((prefix) => name.startsWith(prefix)) ||
      isUnfinishedFile(name, [manifestFileName]),
  );

const rejectUnusableCluster = async (path: string, { postgres }: Manifest): Promise<void> => {
  const { cluster } = getDataDirPaths(path);
  let version: string;
  try {
    version = (await readRegularFile(join(cluster, "PG_VERSION"))).trim();
    await stat(join(cluster, "global", "pg_control"));
  } catch (error) {
    if (readErrorCode(error) === "EACCES") throw error;
    throw platformErrors.dataDirCorrupt(path, "some of its Postgres files are missing", error);
  }
  if (version !== String(postgres.major)) {
    throw platformErrors.dataDirCorrupt(
      path,
      `its Postgres files have version ${version}, but platform.json says ${String(postgres.major)}`,
    );
  }
};

const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
