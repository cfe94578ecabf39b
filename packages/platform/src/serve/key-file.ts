import { open, readFile, stat } from "node:fs/promises";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { InvalidRecordKeysError, RecordKeys, createRecordKeyList } from "@mgmt/cluster/rows/record-keys";
import { ServeError, serveErrors } from "../errors/serve-error.js";

/**
 * Reads the keys of the records from a file, which `RecordKeys.reload` reads again.
 *
 * @throws ServeError `serve:key_file_unreadable`, `serve:key_file_invalid`.
 */
export const readKeyFile = async (path: string): Promise<RecordKeys> => {
  const readList = async (): Promise<string> => {
    try {
      const { mode } = await stat(path);
      // The group may read the file, because a mounted secret of Kubernetes allows that.
      if ((mode & 0o007) !== 0)
        throw serveErrors.keyFileUnreadable(path, "every account of this machine can read or change it");
      return await readFile(path, "utf8");
    } catch (error) {
      if (error instanceof ServeError) throw error;
      throw serveErrors.keyFileUnreadable(path, String(readErrorCode(error)), error);
    }
  };
  try {
    return new RecordKeys(await readList(), readList);
  } catch (error) {
    throw toKeyFileError(path, error);
  }
};

/** Translates an error of reading keys from a file, or of reading them again. */
export const toKeyFileError = (path: string, error: unknown): unknown =>
  error instanceof InvalidRecordKeysError ? serveErrors.keyFileInvalid(path, error.message, error) : error;

/**
 * Creates a file with a new key, unless the file exists. Returns whether it did not.
 *
 * @throws ServeError `serve:key_file_unwritable`.
 */
export const createKeyFile = async (path: string): Promise<boolean> => {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(createRecordKeyList());
      await file.sync();
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (readErrorCode(error) === "EEXIST") return false;
    throw serveErrors.keyFileUnwritable(path, String(readErrorCode(error)), error);
  }
};
