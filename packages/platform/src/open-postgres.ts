import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { type DataDir, filesIn } from "./data-dir/data-dir.js";
import { type Manifest, writeManifest } from "./data-dir/manifest.js";
import type { AdminAddress } from "./databases/admin.js";
import { platformErrors } from "./platform-error.js";
import { findLastingPort, isFree } from "./ports.js";
import { type Account, claimOwnership, findAccount } from "./postgres/account.js";
import { type Binaries, findBinaries } from "./postgres/binaries.js";
import { createCluster, refuseUnreachable, saveClusterImage } from "./postgres/cluster.js";
import type { ClusterImage } from "./postgres/cluster-image.js";
import { endLeftovers } from "./postgres/leftovers.js";
import { PostgresPortTaken, PostgresServer, type ServerOptions } from "./postgres/server.js";

/** The running Postgres server of a data directory. */
export interface OpenPostgres {
  server: PostgresServer;
  address: AdminAddress;
  major: number;
  /** The caller marks it complete once the first state is written. */
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
 * Starts Postgres on the cluster of a data directory, which is created on the first run. Later runs use the same port.
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
  const { major, port, password } = manifest.postgres;
  if (programs.binaries.major !== major) {
    throw platformErrors.dataDirCorrupt(
      dataDir.path,
      `its databases were made by Postgres ${String(major)}, but the Postgres on this machine is ${programs.binaries.version}`,
    );
  }
  // An orphaned server of this cluster may still hold the port.
  await endLeftovers(cluster);
  try {
    if (!(await isFree(port, host))) throw new PostgresPortTaken();
    const server = await PostgresServer.start(optionsFor(dataDir, programs, port), whileWaiting);
    return { server, address: { port, password }, major, manifest, saveImage: () => Promise.resolve() };
  } catch (error) {
    throw error instanceof PostgresPortTaken ? platformErrors.postgresPortTaken(port, dataDir.path) : error;
  }
};

const openNew = async (dataDir: DataDir, whileWaiting: () => void): Promise<OpenPostgres> => {
  const { cluster } = filesIn(dataDir.path);
  const programs = await findPrograms(dataDir, await findAccount());
  const { major } = programs.binaries;
  const password = randomBytes(24).toString("base64url");
  const manifestFor = (port: number): Manifest => ({
    format: 1,
    port: null,
    postgres: { major, port, password, complete: false },
  });
  if (!dataDir.ephemeral) {
    await endLeftovers(cluster);
    await writeManifest(dataDir.path, manifestFor(0));
    await rm(cluster, { recursive: true, force: true });
  }
  const { password: firstPassword, newImage } = await createCluster(
    cluster,
    programs.binaries,
    programs.account,
    whileWaiting,
  );
  const { server, port } = await startOnFreePort(dataDir, programs, whileWaiting);
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
    major,
    manifest: manifestFor(port),
    saveImage: () => saveNew(newImage, programs.binaries),
  };
};

const saveNew = async (image: ClusterImage | undefined, binaries: Binaries): Promise<void> => {
  if (image !== undefined) await saveClusterImage(image, binaries);
};

const startOnFreePort = async (
  dataDir: DataDir,
  programs: Programs,
  whileWaiting: () => void,
): Promise<{ server: PostgresServer; port: number }> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findLastingPort(host);
    try {
      return { port, server: await PostgresServer.start(optionsFor(dataDir, programs, port), whileWaiting) };
    } catch (error) {
      // Another program took the port first.
      if (!(error instanceof PostgresPortTaken) || attempt === 10) throw error;
    }
  }
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
