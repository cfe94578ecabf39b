import { InvalidRecordKeysError, RecordKeys, createRecordKeyList } from "@mgmt/cluster/rows/record-keys";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { PlatformError, platformErrors } from "../../errors/platform-error.js";
import { writeAtomically } from "./atomic-file.js";
import { type DataDir, getDataDirPaths } from "./data-dir.js";
import { readOwnedFile } from "./safe-file.js";

/**
 * Reads the keys of the records from the file of a data directory, which is read again when another process has used a new key.
 *
 * @throws PlatformError `platform:record_keys_missing`, `platform:record_keys_unreadable`, `platform:record_keys_invalid`, or
 *   `platform:data_dir_unsafe`.
 */
export const readRecordKeys = async (dataDir: string): Promise<RecordKeys> => {
  const path = getDataDirPaths(dataDir).recordKeys;
  const readList = async (): Promise<string> => {
    try {
      return await readOwnedFile(path);
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      throw readErrorCode(error) === "ENOENT"
        ? platformErrors.recordKeysMissing(path)
        : platformErrors.recordKeysUnreadable(path, error);
    }
  };
  try {
    return new RecordKeys(await readList(), readList);
  } catch (error) {
    throw error instanceof InvalidRecordKeysError ? platformErrors.recordKeysInvalid(path, error) : error;
  }
};

/** Makes the first key of a new data directory. It is stored unless the records end with this process. */
export const createRecordKeys = async ({
  path,
  ephemeral,
}: Pick<DataDir, "path" | "ephemeral">): Promise<RecordKeys> => {
  const list = createRecordKeyList();
  if (ephemeral) return new RecordKeys(list);
  await writeAtomically(getDataDirPaths(path).recordKeys, list, { isDurable: true });
  return readRecordKeys(path);
};
