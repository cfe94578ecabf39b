import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { type DataDir, filesIn } from "./data-dir/data-dir.js";
import { type Manifest, writeManifest } from "./data-dir/manifest.js";
import type { AdminAddress } from "./databases/admin.js";
import { platformErrors } from "./platform-error.js";
import { findLastingPort, isFree } from "./ports.js";
import { type Account, findAccount, takeOver } from "./postgres/account.js";
import { type Binaries, findBinaries } from "./postgres/binaries.js";
import { createCluster, refuseUnreachable, saveClusterImage } from "./postgres/cluster.js";
import type { ClusterImage } from "./postgres/cluster-image.js";
import { endLeftovers } from "./postgres/leftovers.js";
import { PostgresPortTaken, PostgresServer, type ServerOptions } from "./postgres/server.js";

/** The running server of a data directory. */
export interface OpenPostgres {
  server: PostgresServer;
  address: AdminAddress;
  major: number;
  /** To be completed by the caller once the first state is kept. */
  manifest: Manifest;
  /** Keeps what makes the next new cluster quick; for when nothing waits for us. */
  saveImage(): Promise<void>;
}

interface Programs {
  binaries: Binaries;
  account: Account | undefined;
}

const host = "127.0.0.1";

/**
 * Starts Postgres on a data directory, on the port of its last run, or on a new cluster.
 *
 * @param meanwhile called, perhaps more than once, when a program has begun that we must wait for.
 * @throws PlatformError `platform:no_postgres`, `platform:postgres_failed`, `platform:port_taken`,
 *   `platform:data_dir_corrupt` when the cluster is of another version than the Postgres of this machine.
 */
export const openPostgres = async (dataDir: DataDir, meanwhile: () => void): Promise<OpenPostgres> =>
  dataDir.kept === undefined
    ? openNew(dataDir, meanwhile)
    : openKept(dataDir, dataDir.kept.manifest, meanwhile);

const findPrograms = async ({ path }: DataDir, account: Account | undefined): Promise<Programs> => {
  const binaries = await findBinaries({
    choice: process.env["MGMT_POSTGRES"] || undefined,
    path: process.env["PATH"] ?? "",
    account,
  });
  await refuseUnreachable(path, binaries, account);
  return { account, binaries };
};

const openKept = async (
  dataDir: DataDir,
  manifest: Manifest,
  meanwhile: () => void,
): Promise<OpenPostgres> => {
  const { cluster } = filesIn(dataDir.path);
  const programs = await findPrograms(dataDir, await takeOver(cluster));
  const { major, port, password } = manifest.postgres;
  if (programs.binaries.major !== major) {
    throw platformErrors.dataDirCorrupt(
      dataDir.path,
      `its databases are of Postgres ${String(major)}, and the Postgres found here is ${programs.binaries.version}`,
    );
  }
  // An orphan of our own is no other program: it goes before the port is tried.
  await endLeftovers(cluster);
  try {
    if (!(await isFree(port, host))) throw new PostgresPortTaken();
    const server = await PostgresServer.start(optionsFor(dataDir, programs, port), meanwhile);
    return { server, address: { port, password }, major, manifest, saveImage: () => Promise.resolve() };
  } catch (error) {
    throw error instanceof PostgresPortTaken ? platformErrors.postgresPortTaken(port, dataDir.path) : error;
  }
};

const openNew = async (dataDir: DataDir, meanwhile: () => void): Promise<OpenPostgres> => {
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
    meanwhile,
  );
  const { server, port } = await startOnFreePort(dataDir, programs, meanwhile);
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
  meanwhile: () => void,
): Promise<{ server: PostgresServer; port: number }> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findLastingPort(host);
    try {
      return { port, server: await PostgresServer.start(optionsFor(dataDir, programs, port), meanwhile) };
    } catch (error) {
      // Another program was quicker.
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
