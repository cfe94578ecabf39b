import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { superuser } from "@mgmt/cluster/policy/dedicated-cluster";
import { createProcessViewWithPs } from "@mgmt/internal/processes/ps-processes";
import { Client } from "pg";
import { writeAtomically } from "../../machine/data-dir/atomic-file.js";
import { ensureClusterAccount } from "../../machine/data-dir/cluster-owner.js";
import { type SystemAccount, findPostgresAccount } from "../../machine/data-dir/postgres-account.js";
import { readOwnedFile } from "../../machine/data-dir/safe-file.js";
import { chooseStablePort, isPortFree } from "../../machine/ports.js";
import type { Binaries } from "../../machine/postgres/binaries.js";
import {
  assertDirectoryReachable,
  createCluster,
  saveClusterImage,
  syncCluster,
} from "../../machine/postgres/cluster.js";
import { stopOrphanedProcesses, stopOrphanedServers } from "../../machine/postgres/orphaned-processes.js";
import { PostgresPortTakenError, PostgresServer } from "../../machine/postgres/server.js";
import type { ServerLocation } from "../server/location.js";

/** A running server for tests. */
export interface OpenCluster {
  readonly server: PostgresServer;
  readonly port: number;
  /** Password of the superuser, which is new. */
  readonly password: string;
  /** Shuts the server down, and makes its files survive a power failure. */
  close(): Promise<void>;
}

const host = "127.0.0.1";

/** Where the start of the system is not known, so that it never equals the current one. */
const unknownPlace = "unknown";

/** The data that is needed to open a cluster again. */
interface ClusterRecord {
  /** Passwords of the superuser. A process that was killed leaves two: the former one, and the next one. */
  readonly passwords: readonly string[];
  readonly port: number;
  /** The start of the system in which a server was started and not shut down; null after a shutdown. */
  readonly openPlace: string | null;
}

interface ClusterPaths {
  readonly cluster: string;
  readonly record: string;
  readonly log: string;
}

const getPaths = (directory: string): ClusterPaths => ({
  cluster: join(directory, "postgres"),
  record: join(directory, "cluster.json"),
  log: join(directory, "postgres.log"),
});

/**
 * Starts Postgres on the cluster in a directory. Creates a new cluster when there is none, when it cannot be opened, and when the system
 * has been started since without a shutdown of Postgres: without `fsync`, its files may then be damaged. The caller must hold the lock of
 * the directory.
 *
 * @throws PlatformError `platform:postgres_failed`, `platform:disk_full`.
 */
export const openCluster = async ({ directory, binaries }: ServerLocation): Promise<OpenCluster> => {
  const paths = getPaths(directory);
  const { place } = createProcessViewWithPs().self;
  const openPlace = place ?? unknownPlace;
  const record = await readRecord(paths.record);
  const isUsable = record !== undefined && (record.openPlace === null || record.openPlace === place);
  if (isUsable) {
    try {
      return await startCluster(paths, binaries, { ...record, openPlace });
    } catch {
      // The cluster is damaged, and is created again.
    }
  }
  await stopOrphanedServers(paths.cluster).catch(() => undefined);
  await stopOrphanedProcesses(paths.cluster);
  await rm(paths.record, { force: true });
  await rm(paths.cluster, { recursive: true, force: true });
  const account = await findPostgresAccount();
  await assertDirectoryReachable(directory, binaries, account);
  const { password, newImage } = await createCluster(paths.cluster, binaries, account);
  if (newImage !== undefined) await saveClusterImage(newImage, binaries);
  const port = await chooseStablePort(host);
  return startCluster(paths, binaries, { passwords: [password], port, openPlace });
};

const readRecord = async (path: string): Promise<ClusterRecord | undefined> => {
  try {
    // The file is writable only by this user, so the format is trusted.
    return JSON.parse(await readOwnedFile(path)) as ClusterRecord;
  } catch {
    return undefined;
  }
};

const writeRecord = (path: string, record: ClusterRecord): Promise<void> =>
  writeAtomically(path, JSON.stringify(record), { isDurable: record.openPlace === null });

/** Settings of a server whose data may be lost. */
const buildTestSettings = ({ major }: Binaries): Record<string, string | number> => ({
  autovacuum: "off",
  checkpoint_timeout: "1h",
  shared_buffers: "128MB",
  max_wal_size: "1GB",
  synchronous_commit: "off",
  // Several copies of a template with many tables are dropped at a time.
  max_locks_per_transaction: 256,
  // A migration can set the roles that it creates, as it can if it runs as a superuser.
  ...(major >= 16 ? { createrole_self_grant: "set, inherit" } : {}),
  // One system call copies a file, and shares its blocks where the file system can.
  ...(major >= 18 && process.platform === "linux" ? { file_copy_method: "clone" } : {}),
});

const startCluster = async (
  paths: ClusterPaths,
  binaries: Binaries,
  record: ClusterRecord,
): Promise<OpenCluster> => {
  const account = await ensureClusterAccount(paths.cluster);
  const server = await startOnFreePort(paths, binaries, account, record);
  const { port } = server;
  try {
    const password = randomBytes(24).toString("hex");
    await writeRecord(paths.record, { ...record, port, passwords: [...record.passwords, password] });
    await changePassword(port, record.passwords, password);
    await writeRecord(paths.record, { ...record, port, passwords: [password] });
    return {
      ...{ server, port, password },
      close: async () => {
        await server.stop();
        await syncCluster(paths.cluster, binaries, account);
        await writeRecord(paths.record, { passwords: [password], port, openPlace: null });
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
};

const startOnFreePort = async (
  { cluster, log }: ClusterPaths,
  binaries: Binaries,
  account: SystemAccount | undefined,
  { port: formerPort }: ClusterRecord,
): Promise<PostgresServer> => {
  // A leftover server of this cluster may still hold the port.
  await stopOrphanedServers(cluster);
  for (let attempt = 1; ; attempt += 1) {
    const isFormerPortFree = attempt === 1 && (await isPortFree(formerPort, host));
    const port = isFormerPortFree ? formerPort : await chooseStablePort(host);
    try {
      return await PostgresServer.start({
        ...{ binaries, account, port },
        directory: cluster,
        logFile: log,
        isDurable: false,
        directoryToRemove: undefined,
        otherSettings: buildTestSettings(binaries),
      });
    } catch (error) {
      if (!(error instanceof PostgresPortTakenError) || attempt === 10) throw error;
    }
  }
};

/** Sets a new password with the first of the former ones that is right. */
const changePassword = async (
  port: number,
  formerPasswords: readonly string[],
  password: string,
): Promise<void> => {
  let failure: unknown;
  for (const formerPassword of formerPasswords.toReversed()) {
    const client = new Client({
      host,
      port,
      user: superuser,
      password: formerPassword,
      database: "postgres",
    });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query(`alter role ${superuser} password '${password}'`);
      return;
    } catch (error) {
      failure = error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw failure;
};
