import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { UntrustedFileError } from "@mgmt/internal/files/file-owner";
import { replaceAtomically } from "@mgmt/internal/files/replace-atomically";
import { preallocationPadding } from "@mgmt/internal/files/preallocation-padding";
import { syncFile } from "@mgmt/internal/files/sync-file";
import { readTrustedFile } from "@mgmt/internal/files/trusted-file";
import { fileErrors } from "./file-errors.js";

/** Age in milliseconds after which a temporary file is abandoned: its writer was killed. */
const abandonedAfterMs = 60_000;

/**
 * Reads a file with a credential. Follows a symbolic link of this user, and checks the file that it has opened.
 *
 * @throws TokenStoreError `auth:store_unreadable` if it is not a regular file, or if an account other than this user and root could
 *   have written it; an error of the file system if it cannot be opened.
 */
export const readCredentialFile = async (path: string): Promise<string> => {
  try {
    return await readTrustedFile(path);
  } catch (error) {
    throw error instanceof UntrustedFileError ? fileErrors.untrusted(path, error.message) : error;
  }
};

/**
 * Replaces a file atomically: readers see either the old or the new text, even after a crash. The file is created with
 * mode 0600 and a missing folder with mode 0700. Throws `TokenStoreError`, and then the old text remains.
 */
export const replaceCredentialFile = async (path: string, content: string): Promise<void> => {
  const { target, temporaryPath } = await prepareReplacement(path);
  try {
    await replaceAtomically(target, temporaryPath, async (handle) => {
      await handle.writeFile(content);
      await syncFile(handle);
    });
  } catch (error) {
    throw fileErrors.unwritable(path, error);
  }
  await syncFolder(dirname(target));
  await removeAbandonedFiles(target);
};

/** Throws the error with which `replaceCredentialFile` would fail, such as on a full disk. Leaves the file unchanged. */
export const assertCredentialFileWritable = async (path: string): Promise<void> => {
  const { temporaryPath } = await prepareReplacement(path);
  try {
    const handle = await open(temporaryPath, "wx", 0o600);
    try {
      await handle.writeFile(preallocationPadding);
    } finally {
      await handle.close();
      await rm(temporaryPath, { force: true });
    }
  } catch (error) {
    throw fileErrors.unwritable(path, error);
  }
};

/** Returns the path to replace, and a new temporary name beside it. Creates a missing folder. */
const prepareReplacement = async (path: string): Promise<{ target: string; temporaryPath: string }> => {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const target = await resolveWritableTarget(path);
    return { target, temporaryPath: `${target}.${randomBytes(9).toString("base64url")}.tmp` };
  } catch (error) {
    throw fileErrors.unwritable(path, error);
  }
};

/** Resolves a symbolic link, so that a write replaces its target and not the link. */
export const resolveLink = async (path: string): Promise<string> => {
  try {
    return (await lstat(path)).isSymbolicLink() ? await realpath(path) : path;
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return path;
    throw error;
  }
};

/**
 * Returns the path to replace. Rejects a file that is marked read-only, although its folder would allow replacing it.
 */
export const resolveWritableTarget = async (path: string): Promise<string> => {
  const target = await resolveLink(path);
  try {
    const { mode } = await stat(target);
    if ((mode & constants.S_IWUSR) === 0) throw fileErrors.readOnly(path, "it is marked read-only");
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error;
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

/** Removes temporary files of killed writers, since the files contain secrets. Ignores those that it may not remove. */
const removeAbandonedFiles = async (target: string): Promise<void> => {
  const folder = dirname(target);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(`${basename(target)}.`) || !name.endsWith(".tmp")) continue;
    const path = join(folder, name);
    const fileStats = await stat(path).catch(() => undefined);
    const isAbandoned = fileStats !== undefined && Date.now() - fileStats.mtimeMs > abandonedAfterMs;
    if (isAbandoned) await rm(path, { force: true }).catch(() => undefined);
  }
};
