import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { openPinnedFolder, assertNotLink } from "./pinned-folder.js";

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants;

/** The result of replacing a file. */
export interface ReplaceResult {
  readonly hasChanged: boolean;
  /** Permissions of the file now. */
  readonly mode: number;
}

/** How a file is replaced. */
export interface ReplaceOptions {
  /** A folder that the user chose. No part of the path below it may be a symbolic link. */
  readonly root: string;
  /** Whether to create the folder of the file. Default: false. */
  readonly shouldCreateFolder?: boolean;
  /** Permissions of a new file. Default: only this user's. */
  readonly newMode?: number;
  /** Permissions that the file gets, whether it exists or not. Default: those that it has, or `newMode`. */
  readonly mode?: number | undefined;
}

/**
 * Replaces a file as a whole, or creates it for this user only. Follows no symbolic link: a folder may be of another user's
 * repository, which could have the file written anywhere. A file that exists keeps its owner, group and permissions.
 *
 * @param change returns the new content, given the present one. If they are equal, nothing is written.
 * @throws LinkedPathError; errors of the file system; an error if the path does not lead to a regular file, or if the owner and
 *   group cannot be kept. The file is unchanged.
 */
export const replaceFile = async (
  path: string,
  { root, shouldCreateFolder = false, newMode = 0o600, mode: requiredMode }: ReplaceOptions,
  change: (currentContent: Buffer | undefined) => Buffer,
): Promise<ReplaceResult> => {
  const folder = await openPinnedFolder(dirname(path), root, { shouldCreate: shouldCreateFolder });
  const name = basename(path);
  const temporaryPath = folder.buildPath(`${name}.${randomUUID()}.part`);
  try {
    const oldFile = await readExistingFile(folder.buildPath(name), path);
    const mode = requiredMode ?? oldFile?.mode ?? newMode;
    const newContent = change(oldFile?.content);
    const isSameContent = oldFile?.content.equals(newContent) ?? false;
    if (isSameContent && oldFile?.mode === mode) return { hasChanged: false, mode };
    const handle = await createNewFile(temporaryPath);
    try {
      if (oldFile) await preserveOwner(handle, oldFile);
      // Before there is a secret in it.
      await folder.assertSame();
      await handle.writeFile(newContent);
      await handle.chmod(mode);
    } finally {
      await handle.close();
    }
    await folder.assertSame();
    // Replaces a symbolic link that was planted meanwhile, rather than following it.
    await rename(temporaryPath, folder.buildPath(name));
    return { hasChanged: !isSameContent, mode };
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await folder.close();
  }
};

const createNewFile = async (path: string): Promise<FileHandle> => {
  try {
    return await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (!hasErrorCode(error, "EACCES", "EPERM")) throw error;
    throw new Error("its folder cannot be written by this user", { cause: error });
  }
};

const preserveOwner = async (handle: FileHandle, { uid, gid }: FileOwner): Promise<void> => {
  const newFileStats = await handle.stat();
  if (newFileStats.uid === uid && newFileStats.gid === gid) return;
  try {
    await handle.chown(uid, gid);
  } catch (cause) {
    throw new Error(`this user cannot keep its owner and group, ${uid}:${gid}`, { cause });
  }
};

const hasErrorCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes(readErrorCode(error) ?? "");

interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Reads only a regular file: does not follow a symbolic link, wait for the writer of a named pipe, or read a device. */
const readExistingFile = async (
  path: string,
  label: string,
): Promise<({ content: Buffer; mode: number } & FileOwner) | undefined> => {
  await assertNotLink(path, label);
  let handle;
  try {
    handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error("it is not a regular file");
    const { uid, gid, mode } = stats;
    return { content: await handle.readFile(), mode: mode & 0o777, uid, gid };
  } finally {
    await handle.close();
  }
};
