import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "@mgmt/internal/errors/error-code";
import { fileErrors } from "./file-errors.js";
import { syncFile } from "@mgmt/internal/files/sync-file";

/** Age in milliseconds after which a temporary file is abandoned: its writer was killed. */
const abandonedAfter = 60_000;
/** Bytes to reserve for a credential. */
export const reservedBytes = 8_192;

/**
 * Replaces a file atomically: readers see either the old or the new text, even after a crash. The file is created with
 * mode 0600 and a missing folder with mode 0700. Throws `TokenStoreError`, and then the old text remains.
 */
export const writeAtomically = async (file: string, text: string): Promise<void> => {
  const { target, temporary, handle } = await openTemporary(file);
  try {
    try {
      await handle.writeFile(text);
      await syncFile(handle);
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fileErrors.unwritable(file, error);
  }
  await syncFolder(dirname(target));
  await removeAbandoned(target);
};

/** Throws the same errors as `writeAtomically` would for a string of a few kilobytes. Leaves the file unchanged. */
export const assertWritable = async (file: string): Promise<void> => {
  const { temporary, handle } = await openTemporary(file);
  try {
    // On a full disk, creating an empty file can succeed while writing to it fails.
    await handle.writeFile(" ".repeat(reservedBytes));
  } catch (error) {
    throw fileErrors.unwritable(file, error);
  } finally {
    await handle.close();
    await rm(temporary, { force: true });
  }
};

const openTemporary = async (
  file: string,
): Promise<{ target: string; temporary: string; handle: FileHandle }> => {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const target = await targetOf(file);
    const temporary = `${target}.${randomBytes(9).toString("base64url")}.tmp`;
    return { target, temporary, handle: await open(temporary, "wx", 0o600) };
  } catch (error) {
    throw fileErrors.unwritable(file, error);
  }
};

/** Resolves a symbolic link, so that a write replaces its target and not the link. */
export const resolveLink = async (file: string): Promise<string> => {
  try {
    return (await lstat(file)).isSymbolicLink() ? await realpath(file) : file;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return file;
    throw error;
  }
};

/**
 * Returns the path to replace. Rejects a file that is marked read-only, although its folder would allow replacing it.
 */
export const targetOf = async (file: string): Promise<string> => {
  const target = await resolveLink(file);
  try {
    const { mode } = await stat(target);
    if ((mode & constants.S_IWUSR) === 0) throw fileErrors.readOnly(file, "it is marked read-only");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  return target;
};

/** Flushes a folder to disk, so that a crash does not undo a rename. Not every system supports this. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r").catch(() => undefined);
  if (!handle) return;
  await syncFile(handle).catch(() => undefined);
  await handle.close();
};

/** Removes temporary files of killed writers, since the files contain secrets. */
const removeAbandoned = async (target: string): Promise<void> => {
  const folder = dirname(target);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(`${basename(target)}.`) || !name.endsWith(".tmp")) continue;
    const path = join(folder, name);
    const written = await stat(path).catch(() => undefined);
    if (written && Date.now() - written.mtimeMs > abandonedAfter) await rm(path, { force: true });
  }
};
