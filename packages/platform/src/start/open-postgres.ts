import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DataDir, getDataDirPaths, assertPortChangeAllowed } from "../machine/data-dir/data-dir.js";
import {
  type Manifest,
  manifestFormat,
  readDirectoryInode,
  writeManifest,
} from "../machine/data-dir/manifest.js";
import type { ClusterConnectionOptions } from "@mgmt/cluster/policy/address";
import { Installation, createInstallationKeys } from "@mgmt/cluster/policy/installation";
import { createDedicatedCluster, superuser } from "@mgmt/cluster/policy/dedicated-cluster";
import type { PostgresAddress } from "../proxy/upstream.js";
import { platformErrors } from "../errors/platform-error.js";
import { chooseStablePort, isPortFree } from "../machine/ports.js";
import { type SystemAccount, findPostgresAccount } from "../machine/data-dir/postgres-account.js";
import { type Binaries, findBinaries } from "../machine/postgres/binaries.js";
import {
  type WaitOptions,
  createCluster,
  assertDirectoryReachable,
  saveClusterImage,
  syncCluster,
} from "../machine/postgres/cluster.js";
import type { ClusterImage } from "../machine/postgres/cluster-image.js";
import { ensureClusterAccount } from "../machine/data-dir/cluster-owner.js";
import { stopOrphanedServers, stopOrphanedProcesses } from "../machine/postgres/orphaned-processes.js";
import { readProcessTitles } from "../machine/postgres/process-titles.js";
import { PostgresPortTakenError, PostgresServer, type ServerOptions } from "../machine/postgres/server.js";
import { PostgresSupervisor } from "../machine/postgres/supervisor.js";

/** The running Postgres server of a data directory. */
export interface OpenPostgres {
  supervisor: PostgresSupervisor;
  /** How the superuser connects. */
  superuserAddress: ClusterConnectionOptions;
  /** Where the proxy connects to. */
  address: PostgresAddress;
  /** The caller fills in the ports, and marks it complete after the first write of the state. */
  manifest: Manifest;
  /** Resolves when the files of a new cluster are on disk. Rejects when they cannot be written. */
  synced: Promise<void>;
  /** Caches the new cluster as a template for later new clusters. Call it when the process is idle. */
  saveImage(): Promise<void>;
}

interface PostgresPrograms {
  binaries: Binaries;
  account: SystemAccount | undefined;
}

const loopbackHost = "127.0.0.1";

/**
 * Starts Postgres on the cluster of a data directory, which is created on the first run.
 *
 * @throws PlatformError `platform:no_postgres`, `platform:postgres_failed`, `platform:disk_full`, `platform:port_taken`, or
 * `platform:data_dir_corrupt` if the major version of the cluster differs from the installed Postgres; the reason of the signal.
 */
export const openPostgres = async (dataDir: DataDir, waitOptions: WaitOptions): Promise<OpenPostgres> =>
  dataDir.manifest === undefined
    ? openNewCluster(dataDir, waitOptions)
    : openExistingCluster(dataDir, dataDir.manifest, waitOptions);

const findPrograms = async (
  { path }: DataDir,
  account: SystemAccount | undefined,
): Promise<PostgresPrograms> => {
  const binaries = await findBinaries({
    choice: process.env["MGMT_POSTGRES"] || undefined,
    path: process.env["PATH"] ?? "",
    account,
  });
  await assertDirectoryReachable(path, binaries, account);
  return { account, binaries };
};

const openExistingCluster = async (
  dataDir: DataDir,
  manifest: Manifest,
  waitOptions: WaitOptions,
): Promise<OpenPostgres> => {
  const { cluster: clusterDirectory } = getDataDirPaths(dataDir.path);
  const programs = await findPrograms(dataDir, await ensureClusterAccount(clusterDirectory));
  const { major, port, directPort, password } = manifest.postgres;
  if (programs.binaries.major !== major) {
    throw platformErrors.dataDirCorrupt(
      dataDir.path,
      `its databases were made by Postgres ${String(major)}, but the Postgres on this machine is ${programs.binaries.version}`,
    );
  }
  // An orphaned server of this cluster may still hold a port.
  await stopOrphanedServers(clusterDirectory);
  if (!(await isPortFree(port, loopbackHost))) await assertPortChangeAllowed(dataDir, port);
  const supervisor = await startOnFreePort(dataDir, programs, waitOptions, directPort);
  return {
    supervisor,
    superuserAddress: toSuperuserAddress(supervisor.port, password),
    address: chooseAddress(clusterDirectory, supervisor.port),
    manifest,
    synced: Promise.resolve(),
    saveImage: () => Promise.resolve(),
  };
};

const openNewCluster = async (dataDir: DataDir, waitOptions: WaitOptions): Promise<OpenPostgres> => {
  const { cluster: clusterDirectory } = getDataDirPaths(dataDir.path);
  const programs = await findPrograms(dataDir, await findPostgresAccount());
  const { major } = programs.binaries;
  const password = randomBytes(24).toString("base64url");
  const manifest: Manifest = {
    format: manifestFormat,
    directory: await readDirectoryInode(dataDir.path),
    port: null,
    postgres: { major, port: 0, directPort: 0, password, complete: false },
  };
  if (!dataDir.ephemeral) {
    await stopOrphanedServers(clusterDirectory);
    // The first start may have been killed while initdb ran.
    await stopOrphanedProcesses(clusterDirectory);
    await writeManifest(dataDir.path, manifest);
    await rm(clusterDirectory, { recursive: true, force: true });
  }
  let supervisor: PostgresSupervisor | undefined;
  try {
    const { password: imagePassword, newImage } = await createCluster(
      clusterDirectory,
      programs.binaries,
      programs.account,
      waitOptions,
    );
    waitOptions.signal?.throwIfAborted();
    const synced = dataDir.ephemeral
      ? Promise.resolve()
      : syncCluster(clusterDirectory, programs.binaries, programs.account);
    // Awaited later. Until then, a rejection must not terminate the process.
    synced.catch(() => undefined);
    supervisor = await startOnFreePort(dataDir, programs, waitOptions);
    const { port } = supervisor;
    const installation = new Installation(createInstallationKeys());
    const { initializeCluster } = await import("@mgmt/cluster/open-databases");
    await stopOnAbort(supervisor, waitOptions, () =>
      initializeCluster(
        createDedicatedCluster(
          toSuperuserAddress(port, imagePassword),
          major,
          readProcessTitles,
          installation,
        ),
        password,
      ),
    );
    return {
      supervisor,
      superuserAddress: toSuperuserAddress(port, password),
      address: chooseAddress(clusterDirectory, port),
      manifest,
      synced,
      saveImage: () => saveNewImage(newImage, programs.binaries),
    };
  } catch (error) {
    await supervisor?.stop();
    // The cluster has no data yet, and the disk may be full.
    await rm(clusterDirectory, { recursive: true, force: true });
    throw error;
  }
};

/** Runs startup work. If the signal aborts, stops the server, which makes the work fail. */
export const stopOnAbort = async <T>(
  supervisor: PostgresSupervisor,
  { signal }: WaitOptions,
  callback: () => Promise<T>,
): Promise<T> => {
  const stop = (): void => void supervisor.stop();
  signal?.throwIfAborted();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await callback();
  } finally {
    signal?.removeEventListener("abort", stop);
  }
};

const saveNewImage = async (image: ClusterImage | undefined, binaries: Binaries): Promise<void> => {
  if (image !== undefined) await saveClusterImage(image, binaries);
};

/** @param preferredPort the first port to try. */
const startOnFreePort = async (
  dataDir: DataDir,
  programs: PostgresPrograms,
  waitOptions: WaitOptions,
  preferredPort?: number,
): Promise<PostgresSupervisor> => {
  for (let attempt = 1; ; attempt += 1) {
    const port =
      attempt === 1 && preferredPort !== undefined ? preferredPort : await chooseStablePort(loopbackHost);
    const options = buildServerOptions(dataDir, programs, port);
    try {
      return new PostgresSupervisor(options, await PostgresServer.start(options, waitOptions));
    } catch (error) {
      // Another program took the port first.
      if (!(error instanceof PostgresPortTakenError) || attempt === 10) throw error;
    }
  }
};

const toSuperuserAddress = (port: number, password: string): ClusterConnectionOptions => ({
  host: loopbackHost,
  port,
  user: superuser,
  password,
});

/** The system's limit for the path of a socket file, in bytes: 104 on macOS, 108 on Linux, with a terminator. */
const maxSocketPath = 103;

const chooseAddress = (clusterDirectory: string, port: number): PostgresAddress => {
  const path = join(clusterDirectory, `.s.PGSQL.${String(port)}`);
  return Buffer.byteLength(path) <= maxSocketPath ? { path } : { host: loopbackHost, port };
};

const buildServerOptions = (dataDir: DataDir, programs: PostgresPrograms, port: number): ServerOptions => {
  const { cluster, log } = getDataDirPaths(dataDir.path);
  return {
    ...programs,
    directory: cluster,
    logFile: log,
    port,
    isDurable: !dataDir.ephemeral,
    directoryToRemove: dataDir.ephemeral ? dataDir.path : undefined,
    lockDescriptor: dataDir.lock.descriptor,
  };
};
