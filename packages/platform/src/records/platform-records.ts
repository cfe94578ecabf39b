import { dirname } from "node:path";
import { type DataDir, filesIn } from "../data-dir/data-dir.js";
import { hasOldState, readOldState, removeOldState } from "../data-dir/old-state.js";
import { Admin } from "../databases/admin.js";
import type { MissingData, RecordedDatabase } from "../databases/reconcile.js";
import type { OpenPostgres } from "../open-postgres.js";
import { platformErrors } from "../platform-error.js";
import { superuser } from "../postgres/cluster.js";
import { NewerSchemaError } from "../store/migrate.js";
import { type OpenRecords, openRecords } from "../store/open-records.js";
import { type OldSnapshots, importOldState, readOldSnapshots } from "./import-old-state.js";
import { recordsDatabase, recordsSchema } from "./place.js";
import { interruptedDeletions, markLost, recordedDatabases } from "./recorded-databases.js";

/** The records of a data directory. */
export interface PlatformRecords {
  records: OpenRecords;
  /** The databases that the API has. */
  recorded: RecordedDatabase[];
  /** Ids of databases whose deletion the end of the last run interrupted. */
  deletions: string[];
}

/**
 * Opens the records in the cluster of a data directory. Imports the state files of an earlier version.
 *
 * @param old the content of these files, if the manifest says that the records are in them.
 * @throws PlatformError `platform:data_dir_newer`, `platform:data_dir_corrupt`.
 */
export const openPlatformRecords = async (
  dataDir: DataDir,
  postgres: OpenPostgres,
  old: OldSnapshots | undefined,
): Promise<PlatformRecords> => {
  const records = await open(dataDir, postgres);
  if (dataDir.stored === undefined) return { records, recorded: [], deletions: [] };
  try {
    return await withAdmin(postgres, async (admin) => {
      await complete(dataDir, postgres, { admin, records, old });
      return {
        records,
        recorded: await recordedDatabases(admin, recordsSchema),
        deletions: await interruptedDeletions(admin, recordsSchema),
      };
    });
  } catch (error) {
    await records.close();
    throw error;
  }
};

/** Marks the data that Postgres does not have as lost. Returns the ids of the databases whose data is lost. */
export const recordLoss = async (
  postgres: OpenPostgres,
  missing: MissingData,
  broken: readonly string[],
): Promise<string[]> => withAdmin(postgres, (admin) => markLost(admin, recordsSchema, missing, broken));

const withAdmin = async <T>(
  { address, major }: OpenPostgres,
  work: (admin: Admin) => Promise<T>,
): Promise<T> => {
  const admin = new Admin(address, major);
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
};

const open = async (dataDir: DataDir, { address, upstream }: OpenPostgres): Promise<OpenRecords> => {
  try {
    return await openRecords(
      {
        host: "path" in upstream ? dirname(upstream.path) : upstream.host,
        port: address.port,
        user: superuser,
        password: address.password,
        database: recordsDatabase,
      },
      { schema: recordsSchema },
    );
  } catch (error) {
    if (error instanceof NewerSchemaError) throw platformErrors.dataDirNewer(dataDir.path, error);
    throw error;
  }
};

/** Imports the state files if the tables are empty, and removes files that are left of an import. */
const complete = async (
  dataDir: DataDir,
  { manifest }: OpenPostgres,
  { admin, records, old }: { admin: Admin; records: OpenRecords; old: OldSnapshots | undefined },
): Promise<void> => {
  const files = filesIn(dataDir.path);
  const [server] = await admin.query(`select from ${recordsSchema}.server limit 1`);
  if (server === undefined) {
    await importOldState({ dataDir, manifest, records, old: old ?? (await readRemaining(dataDir)) });
  } else if (old !== undefined) {
    throw platformErrors.dataDirCorrupt(dataDir.path, "its platform.json is older than its databases");
  } else if (await hasOldState(files)) {
    await removeOldState(files);
  }
};

/** Reads the state files after an import was interrupted. */
const readRemaining = async ({ path }: DataDir): Promise<OldSnapshots> => {
  const files = filesIn(path);
  if (await hasOldState(files)) return readOldSnapshots(path, await readOldState(files));
  throw platformErrors.dataDirCorrupt(path, "its databases have no records of the API");
};
