import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DataDir, dataDirFiles, refuseOtherPort } from "../machine/data-dir/data-dir.js";
import {
  type Manifest,
  manifestFormat,
  readDirectoryInode,
  writeManifest,
} from "../machine/data-dir/manifest.js";
import type { Cluster } from "@mgmt/cluster/policy/cluster";
import { ownCluster, superuser } from "@mgmt/cluster/policy/own-cluster";
import type { PostgresAddress } from "../front/upstream.js";
import { platformErrors } from "../errors/platform-error.js";
import { findLongLivedPort, isPortFree } from "../machine/ports.js";
import { type SystemAccount, findPostgresAccount } from "../machine/data-dir/postgres-account.js";
import { type Binaries, findBinaries } from "../machine/postgres/binaries.js";
import {
  type Waiting,
  createCluster,
  refuseUnreachable,
  saveClusterImage,
  syncCluster,
} from "../machine/postgres/cluster.js";
import type { ClusterImage } from "../machine/postgres/cluster-image.js";
import { ensureClusterAccount } from "../machine/data-dir/cluster-owner.js";
import { endLeftovers, endPrograms } from "../machine/postgres/leftovers.js";
import { readTitles } from "../machine/postgres/process-titles.js";
import { PostgresPortTaken, PostgresServer, type ServerOptions } from "../machine/postgres/server.js";
import { PostgresSupervisor } from "../machine/postgres/supervisor.js";

/** The running Postgres server of a data directory. */
export interface OpenPostgres {
  server: PostgresSupervisor;
  cluster: Cluster;
  /** Where the front connects to. */
  upstream: PostgresAddress;
  /** The caller sets the ports, and marks it complete once the first state is written. */
  manifest: Manifest;
  /** Resolves when the files of a new cluster are on disk. Rejects when they cannot be written. */
  onDisk: Promise<void>;
  /** Caches an image of the new cluster, which makes the next first start faster. Call it when nothing is waiting. */
  saveImage(): Promise<void>;
}

interface Programs {
  binaries: Binaries;
  account: SystemAccount | undefined;
}

const host = "127.0.0.1";

/**
 * Starts Postgres on the cluster of a data directory, which is created on the first run.
 *
 * @throws PlatformError `platform:no_postgres`, `platform:postgres_failed`, `platform:disk_full`, `platform:port_taken`, or
 *   `platform:data_dir_corrupt` when the cluster has another version than the Postgres of this machine; the reason of the signal.
 */
export const openPostgres = async (dataDir: DataDir, waiting: Waiting): Promise<OpenPostgres> =>
  dataDir.manifest === undefined
    ? openNewCluster(dataDir, waiting)
    : openExistingCluster(dataDir, dataDir.manifest, waiting);

const findPrograms = async ({ path }: DataDir, account: SystemAccount | undefined): Promise<Programs> => {
  const binaries = await findBinaries({
    choice: process.env["MGMT_POSTGRES"] || undefined,
    path: process.env["PATH"] ?? "",
    account,
  });
  await refuseUnreachable(path, binaries, account);
  return { account, binaries };
};

const openExistingCluster = async (
  dataDir: DataDir,
  manifest: Manifest,
  waiting: Waiting,
): Promise<OpenPostgres> => {
  const { cluster } = dataDirFiles(dataDir.path);
  const programs = await findPrograms(dataDir, await ensureClusterAccount(cluster));
  const { major, port, directPort, password } = manifest.postgres;
  if (programs.binaries.major !== major) {
    throw platformErrors.dataDirCorrupt(
      dataDir.path,
      `its databases were made by Postgres ${String(major)}, but the Postgres on this machine is ${programs.binaries.version}`,
    );
  }
  // An orphaned server of this cluster may still hold a port.
  await endLeftovers(cluster);
  if (!(await isPortFree(port, host))) await refuseOtherPort(dataDir, port);
  const server = await startOnFreePort(dataDir, programs, waiting, directPort);
  return {
    server,
    cluster: clusterOf({ port: server.port, password, major }),
    upstream: upstreamOf(cluster, server.port),
    manifest,
    onDisk: Promise.resolve(),
    saveImage: () => Promise.resolve(),
  };
};

const openNewCluster = async (dataDir: DataDir, waiting: Waiting): Promise<OpenPostgres> => {
  const { cluster } = dataDirFiles(dataDir.path);
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
    await endLeftovers(cluster);
    // The first start may have been killed while initdb ran.
    await endPrograms(cluster);
    await writeManifest(dataDir.path, manifest);
    await rm(cluster, { recursive: true, force: true });
  }
  let server: PostgresSupervisor | undefined;
  try {
    const { password: firstPassword, newImage } = await createCluster(
      cluster,
      programs.binaries,
      programs.account,
      waiting,
    );
    waiting.signal?.throwIfAborted();
    const onDisk = dataDir.ephemeral
      ? Promise.resolve()
      : syncCluster(cluster, programs.binaries, programs.account);
    // Awaited later. Until then, a rejection must not end the process.
    onDisk.catch(() => undefined);
    server = await startOnFreePort(dataDir, programs, waiting);
    const { port } = server;
    const { claimCluster } = await import("@mgmt/cluster/open-databases");
    await untilAborted(server, waiting, () =>
      claimCluster(clusterOf({ port, password: firstPassword, major }), password),
    );
    return {
      server,
      cluster: clusterOf({ port, password, major }),
      upstream: upstreamOf(cluster, port),
      manifest,
      onDisk,
      saveImage: () => saveNewImage(newImage, programs.binaries),
    };
  } catch (error) {
    await server?.stop();
    // Nothing is in it, and the disk may be full.
    await rm(cluster, { recursive: true, force: true });
    throw error;
  }
};

/** Does the work of a start. Aborting the signal stops the server, so that the work fails. */
export const untilAborted = async <T>(
  server: PostgresSupervisor,
  { signal }: Waiting,
  work: () => Promise<T>,
): Promise<T> => {
  const stop = (): void => void server.stop();
  signal?.throwIfAborted();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener("abort", stop);
  }
};

const saveNewImage = async (image: ClusterImage | undefined, binaries: Binaries): Promise<void> => {
  if (image !== undefined) await saveClusterImage(image, binaries);
};

/** @param preferred the first port to try. */
const startOnFreePort = async (
  dataDir: DataDir,
  programs: Programs,
  waiting: Waiting,
  preferred?: number,
): Promise<PostgresSupervisor> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = attempt === 1 && preferred !== undefined ? preferred : await findLongLivedPort(host);
    const options = optionsFor(dataDir, programs, port);
    try {
      return new PostgresSupervisor(options, await PostgresServer.start(options, waiting));
    } catch (error) {
      // Another program took the port first.
      if (!(error instanceof PostgresPortTaken) || attempt === 10) throw error;
    }
  }
};

const clusterOf = ({ port, password, major }: { port: number; password: string; major: number }): Cluster =>
  ownCluster({ host, port, user: superuser, password }, major, readTitles);

/** The system's limit for the path of a socket file, in bytes: 104 on macOS, 108 on Linux, with a terminator. */
const maxSocketPath = 103;

const upstreamOf = (cluster: string, port: number): PostgresAddress => {
  const path = join(cluster, `.s.PGSQL.${String(port)}`);
  return Buffer.byteLength(path) <= maxSocketPath ? { path } : { host, port };
};

const optionsFor = (dataDir: DataDir, programs: Programs, port: number): ServerOptions => {
  const { cluster, log } = dataDirFiles(dataDir.path);
  return {
    ...programs,
    directory: cluster,
    logFile: log,
    port,
    durable: !dataDir.ephemeral,
    removeWhenKilled: dataDir.ephemeral ? dataDir.path : undefined,
    lock: dataDir.lock.descriptor,
  };
};
