import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { isWithinFolder } from "./is-within-folder.js";

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = constants;

/** A part of a path is a symbolic link, which a repository may contain to have files written elsewhere. */
export class LinkedPathError extends Error {
  /** @param path of the link. */
  constructor(
    message: string,
    readonly path: string,
  ) {
    super(message);
  }
}

/**
 * A folder that was reached without following a symbolic link below a root, and that stays the same folder even if its path is
 * replaced.
 */
export interface PinnedFolder {
  /** Returns the path of a file in the folder. */
  readonly buildPath: (name: string) => string;
  /** Throws `LinkedPathError` if the path of the folder was replaced, where that cannot be prevented. */
  readonly assertSame: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens a folder.
 *
 * @param root a folder that the user chose, and whose own path may have links. Of a folder outside of it, no part is checked.
 * @param shouldCreate whether to create the folder, for this user only, if it does not exist. Its parent must exist.
 * @throws LinkedPathError; errors of the file system.
 */
export const openPinnedFolder = (
  folder: string,
  root: string,
  { shouldCreate = false } = {},
): Promise<PinnedFolder> => {
  const isInside = isWithinFolder(root, folder);
  const folderNames = isInside ? relative(root, folder).split(sep).filter(Boolean) : [];
  const startFolder = isInside ? root : folder;
  // Where a process can name its open folders, no one can replace them.
  const canNameHandles = process.platform === "linux" && existsSync("/proc/self/fd");
  return canNameHandles
    ? openByHandles(startFolder, folderNames, shouldCreate)
    : openByPath(startFolder, folderNames, shouldCreate);
};

const openByHandles = async (
  startFolder: string,
  folderNames: readonly string[],
  shouldCreate: boolean,
): Promise<PinnedFolder> => {
  const handles: FileHandle[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(handles.map((handle) => handle.close()));
  };
  const buildPath = (name: string): string => join("/proc/self/fd", String(handles.at(-1)?.fd), name);
  try {
    handles.push(await open(startFolder, O_RDONLY | O_DIRECTORY));
    for (const [index, name] of folderNames.entries()) {
      const path = buildPath(name);
      if (shouldCreate && index === folderNames.length - 1) await createFolder(path);
      await assertNotLink(path, join(startFolder, ...folderNames.slice(0, index + 1)));
      handles.push(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { buildPath, close, assertSame: () => Promise.resolve() };
};

const openByPath = async (
  startFolder: string,
  folderNames: readonly string[],
  shouldCreate: boolean,
): Promise<PinnedFolder> => {
  const paths = folderNames.map((_, index) => join(startFolder, ...folderNames.slice(0, index + 1)));
  const assertNoLinks = async (): Promise<void> => {
    for (const path of paths) await assertNotLink(path, path);
  };
  await assertNoLinks();
  const path = paths.at(-1) ?? startFolder;
  if (shouldCreate && paths.length > 0) await createFolder(path);
  const initialStats = await lstat(path);
  const assertSame = async (): Promise<void> => {
    await assertNoLinks();
    const { dev, ino } = await lstat(path);
    if (dev !== initialStats.dev || ino !== initialStats.ino)
      throw new LinkedPathError(`${path} was replaced meanwhile`, path);
  };
  return { buildPath: (name) => join(path, name), close: () => Promise.resolve(), assertSame };
};

const createFolder = async (path: string): Promise<void> => {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (readErrorCode(error) !== "EEXIST") throw error;
  });
};

/**
 * Throws `LinkedPathError` if a path contains a symbolic link.
 *
 * @param label the path in the message.
 */
export const assertNotLink = async (path: string, label: string): Promise<void> => {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isSymbolicLink()) return;
  const target = await readlink(path).catch(() => "another path");
  throw new LinkedPathError(`${label} is a symbolic link to ${target}`, label);
};
