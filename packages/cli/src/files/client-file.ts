import { mkdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { CliError } from "../errors/cli-error.js";
import {
  linkedClientFileError,
  undecodableClientFileError,
  unreadableClientFileError,
  unwritableClientFileError,
} from "../errors/client-file-errors.js";
import { LinkedPathError, openPinnedFolder } from "./pinned-folder.js";
import { replaceFile } from "./replace-file.js";
import { resolveLinkTarget } from "./resolve-link-target.js";

/** Whether a file is in the folder of a project, whose repository can contain it, or in a folder of the user. */
export const fileScopes = ["project", "user"] as const;
/** Where a file of another program is: in the folder of a project, or in a folder of the user. */
export type FileScope = (typeof fileScopes)[number];

/** A file that another program reads, such as the configuration of a coding agent. */
export interface ClientFile {
  /** The path as the user knows it. It can be the path of a symbolic link. */
  readonly path: string;
  /** The file that is read and written. */
  readonly target: string;
  /** The folder below which no symbolic link is followed when the file is written. */
  readonly root: string;
  readonly scope: FileScope;
}

/**
 * Returns where a file of another program is. Symbolic links of the user are followed: many users keep their configuration in a repository.
 * Those in the folder of a project must not lead out of it, because the repository can be another user's.
 *
 * @param folder the folder of the project, or undefined for a file of the user.
 * @throws CliError `client_file:linked`
 */
export const locateClientFile = async (path: string, folder: string | undefined): Promise<ClientFile> => {
  if (folder === undefined) {
    const target = await realpath(path).catch(() => path);
    return { path, target, root: dirname(target), scope: "user" };
  }
  const target = await resolveLinkTarget(path, folder);
  if (target === undefined) throw linkedClientFileError(path);
  const root = target === path ? folder : await realpath(folder);
  return { path, target, root, scope: "project" };
};

/**
 * Returns the text of a file, which is UTF-8, or undefined if there is no file.
 *
 * @throws CliError `client_file:unreadable`, `client_file:undecodable`
 */
export const readClientFile = async ({ path, target }: ClientFile): Promise<string | undefined> => {
  let bytes: Buffer;
  try {
    bytes = await readFile(target);
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return undefined;
    throw unreadableClientFileError(path, error);
  }
  return decode(bytes, path);
};

/** Keeps a byte order mark, which is a part of the file. */
const decode = (bytes: Buffer, path: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw undecodableClientFileError(path);
  }
};

/**
 * Changes a file, and creates its folders. The file is replaced as a whole, and keeps its permissions.
 *
 * @param change returns the new text, given that which the file has now: other programs write it, too.
 * @throws CliError `client_file:unwritable`, `client_file:linked`; what `change` throws.
 */
export const writeClientFile = async (
  file: ClientFile,
  change: (text: string | undefined) => string,
): Promise<void> => {
  const { path, target, root, scope } = file;
  const newMode = scope === "project" ? 0o644 : 0o600;
  try {
    if (scope === "user") await mkdir(root, { recursive: true, mode: 0o700 });
    else await createFolders(dirname(target), root);
    await replaceFile(target, { root, newMode }, (content) =>
      Buffer.from(change(content && decode(content, path))),
    );
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof LinkedPathError && scope === "project") throw linkedClientFileError(path);
    throw unwritableClientFileError(path, error);
  }
};

/** Creates a folder with those above it, without following a symbolic link. */
const createFolders = async (folder: string, root: string): Promise<void> => {
  const names = relative(root, folder).split(sep).filter(Boolean);
  for (const index of names.keys()) {
    const pinnedFolder = await openPinnedFolder(join(root, ...names.slice(0, index + 1)), root, {
      shouldCreate: true,
    });
    await pinnedFolder.close();
  }
};
