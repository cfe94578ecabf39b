import { DatabaseUnavailableError, type Records, type Snapshot, readSnapshot, tablesOf } from "@mgmt/engine";
import { type DataDir, filesIn } from "../data-dir/data-dir.js";
import { type Manifest, writeManifest } from "../data-dir/manifest.js";
import { type OldState, removeOldState } from "../data-dir/old-state.js";
import { platformErrors } from "../platform-error.js";

/** The state files of an earlier version. */
export interface OldSnapshots {
  /** The latest records. */
  state: Snapshot;
  /** The records after the first start, which a reset restores. */
  initial: Snapshot;
}

/**
 * Validates the content of the state files.
 *
 * @throws PlatformError `platform:data_dir_corrupt`.
 */
export const readOldSnapshots = (dataDir: string, { state, initial }: OldState): OldSnapshots => {
  try {
    return { state: readSnapshot(state), initial: readSnapshot(initial) };
  } catch (error) {
    throw corrupt(dataDir, error);
  }
};

const corrupt = (dataDir: string, error: unknown): Error => {
  const reason = error instanceof Error ? error.message : String(error);
  return platformErrors.dataDirCorrupt(
    dataDir,
    `it contains no valid state of the server (${reason})`,
    error,
  );
};

/** Steps of an import, in order. A step that was reached survives a kill. */
export type ImportStep = "manifest written" | "records filled" | "files removed";

export interface Import {
  dataDir: Pick<DataDir, "path">;
  manifest: Manifest;
  records: Pick<Records, "fill">;
  old: OldSnapshots;
  /** Called after each step. */
  reached?: (step: ImportStep) => void;
}

/**
 * Moves the records from the state files of an earlier version into the cluster. After an interruption at any moment, either the
 * files are complete and the tables are empty, or the tables have everything.
 *
 * The manifest comes first: from then on, earlier versions refuse the directory, so nothing changes the files after they were
 * read.
 *
 * @throws PlatformError `platform:data_dir_corrupt` when the tables do not accept the rows. The files stay as they were.
 */
export const importOldState = async ({
  dataDir,
  manifest,
  records,
  old,
  reached = () => undefined,
}: Import): Promise<void> => {
  await writeManifest(dataDir.path, { ...manifest, format: 2 });
  reached("manifest written");
  try {
    await records.fill(tablesOf(old.state, { initial: old.initial, draws: null }));
  } catch (error) {
    // The next start imports them.
    if (error instanceof DatabaseUnavailableError) throw error;
    await writeManifest(dataDir.path, manifest);
    throw corrupt(dataDir.path, error);
  }
  reached("records filled");
  await removeOldState(filesIn(dataDir.path));
  reached("files removed");
};
