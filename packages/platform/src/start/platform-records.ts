import { dirname } from "node:path";
import { type Preload, serverRowId } from "@mgmt/engine/internal";
import { type DataDir, getDataDirPaths } from "../machine/data-dir/data-dir.js";
import { AdminConnection } from "@mgmt/cluster/connection/admin-connection";
import type { MissingData, ApiDatabase } from "@mgmt/cluster/repair/reconcile";
import type { Cluster } from "@mgmt/cluster/policy/cluster";
import { ClusterError } from "@mgmt/cluster/policy/cluster-error";
import { createDedicatedCluster } from "@mgmt/cluster/policy/dedicated-cluster";
import { removeAbandonedFiles } from "../machine/postgres/abandoned-files.js";
import { readProcessTitles } from "../machine/postgres/process-titles.js";
import type { OpenPostgres } from "./open-postgres.js";
import { platformErrors } from "../errors/platform-error.js";
import { NewerSchemaError } from "@mgmt/cluster/rows/migrate";
import { type OpenRecords, type RecordsOptions, openRecords } from "@mgmt/cluster/rows/open-records";
import { type RecordKeys, UnknownRecordKeyError } from "@mgmt/cluster/rows/record-keys";
import { recordsDatabase, recordsSchema } from "@mgmt/cluster/rows/records-location";
import {
  findDiscardedIds,
  findInterruptedDeletions,
  markRecordsAsLost,
  findApiDatabases,
} from "@mgmt/cluster/repair/api-databases";

const noRecordsProblem = "its databases have no records of the API";

/** The records of a data directory. */
export interface PlatformRecords {
  records: OpenRecords;
  cluster: Cluster;
  /** The databases that the records contain. */
  apiDatabases: ApiDatabase[];
  /** Reads `apiDatabases` again. */
  readApiDatabases: () => Promise<ApiDatabase[]>;
  /** Ids of databases and backups whose removal the records contain. */
  discardedIds: string[];
  /** Ids of databases whose deletion the end of the last run interrupted. */
  interruptedDeletionIds: string[];
}

/**
 * Opens the records in the cluster of a data directory.
 *
 * @throws PlatformError `platform:data_dir_incompatible`, `platform:data_dir_corrupt`, `platform:record_keys_unknown`.
 */
export const openPlatformRecords = async (
  dataDir: DataDir,
  postgres: OpenPostgres,
  keys: RecordKeys,
  onLog: (line: string) => void,
): Promise<PlatformRecords> => {
  const records = await openClusterRecords(dataDir, postgres, { keys, onLog });
  const { superuserAddress, manifest } = postgres;
  const cluster = createDedicatedCluster(
    superuserAddress,
    manifest.postgres.major,
    readProcessTitles,
    records.installation,
  );
  const readApiDatabases = (): Promise<ApiDatabase[]> =>
    withAdminConnection(cluster, (admin) => findApiDatabases(admin, recordsSchema, keys));
  const openedRecords = { records, cluster, readApiDatabases };
  if (dataDir.manifest === undefined)
    return { ...openedRecords, apiDatabases: [], discardedIds: [], interruptedDeletionIds: [] };
  try {
    const serverRow: Preload = { read: "row", table: "server", id: serverRowId };
    const [serverRows] = await records.begin({ mode: "read", locks: [] }).load([serverRow]);
    if (!Array.isArray(serverRows) || serverRows.length === 0)
      throw platformErrors.dataDirCorrupt(dataDir.path, noRecordsProblem);
    return await withAdminConnection(cluster, async (admin) => ({
      ...openedRecords,
      apiDatabases: await findApiDatabases(admin, recordsSchema, keys),
      discardedIds: await findDiscardedIds(admin, recordsSchema),
      interruptedDeletionIds: await findInterruptedDeletions(admin, recordsSchema),
    }));
  } catch (error) {
    await records.close();
    throw error;
  }
};

/** Marks the data that Postgres does not have as lost. Returns the ids of the databases whose data is lost. */
export const markDataLost = async (
  cluster: Cluster,
  missing: MissingData,
  brokenDatabaseIds: readonly string[],
): Promise<string[]> =>
  withAdminConnection(cluster, (admin) =>
    markRecordsAsLost(admin, recordsSchema, missing, brokenDatabaseIds),
  );

/** Removes the files of copies that a crash has interrupted. Call it before databases are created. */
export const removeInterruptedCopies = (
  cluster: Cluster,
  directory: string,
  onLog: (line: string) => void,
): Promise<void> =>
  withAdminConnection(cluster, (admin) => removeAbandonedFiles(directory, (text) => admin.query(text))).catch(
    (error: unknown) =>
      onLog(
        `The files of interrupted copies remain: ${error instanceof Error ? error.message : String(error)}`,
      ),
  );

const withAdminConnection = async <T>(
  cluster: Cluster,
  callback: (admin: AdminConnection) => Promise<T>,
): Promise<T> => {
  const admin = new AdminConnection(cluster);
  try {
    return await callback(admin);
  } finally {
    await admin.close();
  }
};

const openClusterRecords = async (
  dataDir: DataDir,
  { superuserAddress, address: upstream }: OpenPostgres,
  options: Pick<RecordsOptions, "keys" | "onLog">,
): Promise<OpenRecords> => {
  try {
    return await openRecords(
      {
        ...superuserAddress,
        host: "path" in upstream ? dirname(upstream.path) : upstream.host,
        database: recordsDatabase,
      },
      { ...options, schema: recordsSchema, isOwnCluster: true },
    );
  } catch (error) {
    if (error instanceof ClusterError) throw platformErrors.clusterRejected(dataDir.path, error);
    if (error instanceof NewerSchemaError) throw platformErrors.dataDirIncompatible(dataDir.path, error);
    if (error instanceof UnknownRecordKeyError) {
      const path = getDataDirPaths(dataDir.path).recordKeys;
      throw platformErrors.recordKeysUnknown(path, error.keyIds, error);
    }
    throw error;
  }
};
