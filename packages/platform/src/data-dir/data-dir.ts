import { chmod, mkdtemp, readFile, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { ephemeralBase } from "../directories.js";
import { makeDirectory } from "../make-directory.js";
import { PlatformError, platformErrors, systemErrorCode } from "../platform-error.js";
import { isRoot } from "../postgres/account.js";
import { DirectoryLock, lockName } from "./lock.js";
import { type Manifest, readManifest } from "./manifest.js";
import { readState } from "./state-file.js";
import { ephemeralPrefix, sweepEphemeral } from "./sweep.js";

/** A data directory that is ours alone until `release`. */
export interface DataDir {
  path: string;
  ephemeral: boolean;
  /** What an earlier run has left; undefined when this is the first one. */
  kept: { manifest: Manifest; state: unknown; initial: unknown } | undefined;
  /** Lets others have it; removes an ephemeral one. */
  release(): Promise<void>;
}

export interface DataDirFiles {
  /** The cluster. */
  cluster: string;
  /** Where Postgres writes what happens to it. */
  log: string;
  state: string;
  /** The state of the first start, which a reset goes back to. */
  initial: string;
  /** The service token of the ready line. */
  token: string;
  controlSecret: string;
}

export const filesIn = (dataDir: string): DataDirFiles => ({
  cluster: join(dataDir, "postgres"),
  log: join(dataDir, "postgres.log"),
  state: join(dataDir, "state.json"),
  initial: join(dataDir, "initial-state.json"),
  token: join(dataDir, "token"),
  controlSecret: join(dataDir, "control-secret"),
});

/** Postgres's account must be able to pass through; every file inside is closed to it. */
const directoryMode = (): number => (isRoot() ? 0o711 : 0o700);

/** A new directory in a temporary place. */
export const makeEphemeralDir = async (): Promise<DataDir> => {
  const base = await ephemeralBase();
  await sweepEphemeral(base);
  const path = await mkdtemp(join(await realpath(base), ephemeralPrefix));
  await chmod(path, directoryMode());
  await DirectoryLock.acquire(path);
  return {
    path,
    ephemeral: true,
    kept: undefined,
    release: () => rm(path, { recursive: true, force: true }),
  };
};

/**
 * Opens a directory that is kept between runs, or begins it when it is empty or missing.
 *
 * @throws PlatformError `platform:data_dir_in_use`, `platform:data_dir_corrupt`, `platform:data_dir_unwritable`. Nothing
 *   that is in the directory is changed then.
 */
export const openDataDir = async (given: string): Promise<DataDir> => {
  const path = resolve(given);
  try {
    const isNew = await makeDirectory(path, directoryMode());
    const lock = await DirectoryLock.acquire(path);
    try {
      const kept = await readKept(path);
      if (isNew || (kept === undefined && isRoot())) await chmod(path, directoryMode());
      return { path, ephemeral: false, kept, release: () => lock.release() };
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw platformErrors.dataDirUnwritable(path, error);
  }
};

const readKept = async (path: string): Promise<DataDir["kept"]> => {
  let manifest: Manifest | undefined;
  try {
    manifest = await readManifest(path);
  } catch (error) {
    throw platformErrors.dataDirCorrupt(path, `platform.json cannot be read (${messageOf(error)})`, error);
  }
  if (manifest === undefined) {
    if (!(await isEmpty(path))) throw platformErrors.dataDirForeign(path);
    return undefined;
  }
  // The first start was cut short before anything could be kept.
  if (!manifest.postgres.complete) return undefined;

  await checkCluster(path, manifest);
  const { state, initial } = filesIn(path);
  return { manifest, state: await readStateIn(path, state), initial: await readStateIn(path, initial) };
};

const readStateIn = async (path: string, file: string): Promise<unknown> => {
  try {
    return await readState(file);
  } catch (error) {
    const what = `${basename(file)} cannot be read (${messageOf(error)})`;
    throw platformErrors.dataDirCorrupt(path, what, error);
  }
};

const isEmpty = async (path: string): Promise<boolean> =>
  (await readdir(path)).every((name) => name.startsWith(lockName));

const checkCluster = async (path: string, { postgres }: Manifest): Promise<void> => {
  const { cluster } = filesIn(path);
  let version: string;
  try {
    version = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
    await stat(join(cluster, "global", "pg_control"));
  } catch (error) {
    if (systemErrorCode(error) === "EACCES") throw error;
    throw platformErrors.dataDirCorrupt(path, "its Postgres files are not all there", error);
  }
  if (version !== String(postgres.major)) {
    throw platformErrors.dataDirCorrupt(
      path,
      `its Postgres files are of version ${version}, and platform.json says ${String(postgres.major)}`,
    );
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
