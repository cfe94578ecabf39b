import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DataDir, filesIn } from "./data-dir/data-dir.js";
import { type Manifest, writeManifest } from "./data-dir/manifest.js";
import type { AdminAddress } from "./databases/admin.js";
import type { PostgresAddress } from "./front/upstream.js";
import { platformErrors } from "./platform-error.js";
import { findLastingPort, isFree } from "./ports.js";
import { type Account, claimOwnership, findAccount } from "./postgres/account.js";
import { type Binaries, findBinaries } from "./postgres/binaries.js";
import { createCluster, refuseUnreachable, saveClusterImage } from "./postgres/cluster.js";
import type { ClusterImage } from "./postgres/cluster-image.js";
import { endLeftovers } from "./postgres/leftovers.js";
import { PostgresPortTaken, PostgresServer, type ServerOptions } from "./postgres/server.js";
import { PostgresSupervisor } from "./postgres/supervisor.js";

/** The running Postgres server of a data directory. */
export interface OpenPostgres {
  server: PostgresSupervisor;
  address: AdminAddress;
  /** Where the front connects to. */
  upstream: PostgresAddress;
  major: number;
  /** The caller sets the ports, and marks it complete once the first state is written. */
  manifest: Manifest;
  /** Caches an image of the new cluster, which makes the next first start faster. Call it when nothing is waiting. */
  saveImage(): Promise<void>;
}

interface Programs {
  binaries: Binaries;
  account: Account | undefined;
}

const host = "127.0.0.1";

/**
 * Starts Postgres on the cluster of a data directory, which is created on the first run.
 *
 * @param whileWaiting called whenever a program was started whose result is awaited, possibly more than once.
 * @throws PlatformError `platform:no_postgres`, `platform:postgres_failed`, `platform:port_taken`, or
 *   `platform:data_dir_corrupt` when the cluster has another version than the Postgres of this machine.
 */
export const openPostgres = async (dataDir: DataDir, whileWaiting: () => void): Promise<OpenPostgres> =>
  dataDir.stored === undefined
    ? openNew(dataDir, whileWaiting)
    : openExisting(dataDir, dataDir.stored.manifest, whileWaiting);

const findPrograms = async ({ path }: DataDir, account: Account | undefined): Promise<Programs> => {
  const binaries = await findBinaries({
    choice: process.env["MGMT_POSTGRES"] || undefined,
    path: process.env["PATH"] ?? "",
    account,
  });
  await refuseUnreachable(path, binaries, account);
  return { account, binaries };
};

const openExisting = async (
  dataDir: DataDir,
  manifest: Manifest,
  whileWaiting: () => void,
): Promise<OpenPostgres> => {
  const { cluster } = filesIn(dataDir.path);
  const programs = await findPrograms(dataDir, await claimOwnership(cluster));
  const { major, port, directPort, password } = manifest.postgres;
  if (programs.binaries.major !== major) {
    throw platformErrors.dataDirCorrupt(
      dataDir.path,
      `its databases were made by Postgres ${String(major)}, but the Postgres on this machine is ${programs.binaries.version}`,
    );
  }
  // An orphaned server of this cluster may still hold a port.
  await endLeftovers(cluster);
  if (!(await isFree(port, host))) throw platformErrors.databasePortTaken(port, dataDir.path);
  const server = await startOnFreePort(dataDir, programs, whileWaiting, directPort);
  return {
    server,
    address: { port: server.port, password },
    upstream: upstreamOf(cluster, server.port),
    major,
    manifest,
    saveImage: () => Promise.resolve(),
  };
};

const openNew = async (dataDir: DataDir, whileWaiting: () => void): Promise<OpenPostgres> => {
  const { cluster } = filesIn(dataDir.path);
  const programs = await findPrograms(dataDir, await findAccount());
  const { major } = programs.binaries;
  const password = randomBytes(24).toString("base64url");
  const manifest: Manifest = {
    format: 2,
    port: null,
    postgres: { major, port: 0, password, complete: false },
  };
  if (!dataDir.ephemeral) {
    await endLeftovers(cluster);
    await writeManifest(dataDir.path, manifest);
    await rm(cluster, { recursive: true, force: true });
  }
  const { password: firstPassword, newImage } = await createCluster(
    cluster,
    programs.binaries,
    programs.account,
    whileWaiting,
  );
  const server = await startOnFreePort(dataDir, programs, whileWaiting);
  const { port } = server;
  try {
    const { claimCluster } = await import("./databases/open-databases.js");
    await claimCluster({ port, password: firstPassword }, major, password);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    server,
    address: { port, password },
    upstream: upstreamOf(cluster, port),
    major,
    manifest,
    saveImage: () => saveNew(newImage, programs.binaries),
  };
};

const saveNew = async (image: ClusterImage | undefined, binaries: Binaries): Promise<void> => {
  if (image !== undefined) await saveClusterImage(image, binaries);
};

/** @param preferred the first port to try. */
const startOnFreePort = async (
  dataDir: DataDir,
  programs: Programs,
  whileWaiting: () => void,
  preferred?: number,
): Promise<PostgresSupervisor> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = attempt === 1 && preferred !== undefined ? preferred : await findLastingPort(host);
    const options = optionsFor(dataDir, programs, port);
    try {
      return new PostgresSupervisor(options, await PostgresServer.start(options, whileWaiting));
    } catch (error) {
      // Another program took the port first.
      if (!(error instanceof PostgresPortTaken) || attempt === 10) throw error;
    }
  }
};

/** The system's limit for the path of a socket file, in bytes: 104 on macOS, 108 on Linux, with a terminator. */
const maxSocketPath = 103;

const upstreamOf = (cluster: string, port: number): PostgresAddress => {
  const path = join(cluster, `.s.PGSQL.${String(port)}`);
  return Buffer.byteLength(path) <= maxSocketPath ? { path } : { host, port };
};

const optionsFor = (dataDir: DataDir, programs: Programs, port: number): ServerOptions => {
  const { cluster, log } = filesIn(dataDir.path);
  return {
    ...programs,
    directory: cluster,
    logFile: log,
    port,
    durable: !dataDir.ephemeral,
    removeWhenKilled: dataDir.ephemeral ? dataDir.path : undefined,
  };
};
