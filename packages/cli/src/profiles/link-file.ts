import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { corruptLinkError, unreadableLinkError } from "../errors/storage-errors.js";
import { isId } from "../input/ids.js";
import { isObject } from "../json/json-path.js";
import { isValidProfileName } from "./profile.js";

/** The settings of commands in a folder and all folders below it. Contains no secret, so that it can be committed. */
export interface Link {
  readonly profile?: string;
  readonly workspaceId?: string;
  readonly projectId?: string;
  /** Whether commands that delete, restore, rotate, or overwrite need the name of the resource here. Default: false. */
  readonly protect?: boolean;
}

/** A link, and the path of the file that contains it. */
export interface LinkWithFile {
  file: string;
  link: Link;
}

/** Returns the path of the file that links a folder to a workspace or a project. */
export const getLinkFilePath = (folder: string): string => join(folder, ".mgmt", "link.json");

/** A link file that commands do not use, and why. */
export interface IgnoredLink {
  file: string;
  reason: string;
}

/**
 * Returns the link of the folder, else of the nearest folder above, without those that are ignored. Throws `link:unreadable`
 * or `link:corrupt`.
 */
export const findLink = (folder: string): LinkWithFile | undefined => {
  for (const file of listLinkFilePaths(folder)) {
    const link = readLink(file);
    if (link) return { file, link };
  }
  return undefined;
};

/** Returns the links that are ignored although no nearer one is used, nearest first. */
export const findIgnoredLinks = (folder: string): IgnoredLink[] => {
  const ignoredLinks: IgnoredLink[] = [];
  try {
    for (const file of listLinkFilePaths(folder)) {
      const reason = findIgnoredReason(file);
      if (reason !== undefined) ignoredLinks.push({ file, reason });
      else if (lstatSync(file, { throwIfNoEntry: false })) break;
    }
  } catch {
    // Reading the link reports its problem.
  }
  return ignoredLinks;
};

/** Returns why another account may have written this link, or undefined if it did not or there is no link. */
const findIgnoredReason = (path: string): string | undefined => {
  const uid = process.geteuid?.();
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (uid === undefined || !stats) return undefined;
  const isWritableByAll = ({ mode }: Stats): boolean => (mode & 0o002) !== 0;
  const folder = dirname(path);
  const folders = [statSync(folder), statSync(dirname(folder))];
  if (stats.uid !== uid) return "it belongs to another account";
  if (folders[0]?.uid !== uid) return "its folder belongs to another account";
  // The mode of a symbolic link has no meaning, and the link is not followed.
  if (stats.isFile() && isWritableByAll(stats)) return "every account can write to it";
  return folders.some(isWritableByAll) ? "every account can write to its folder" : undefined;
};

/** Returns where a link for the folder can be, nearest first. */
export const listLinkFilePaths = (folder: string): string[] => {
  const parent = dirname(folder);
  return [getLinkFilePath(folder), ...(parent === folder ? [] : listLinkFilePaths(parent))];
};

/** Returns undefined when the file does not exist or is ignored. Throws `link:unreadable` or `link:corrupt`. */
export const readLink = (path: string): Link | undefined => {
  let linkJson: string;
  try {
    // An exception for every folder without a link would take longer than everything else here.
    if (!lstatSync(path, { throwIfNoEntry: false }) || findIgnoredReason(path) !== undefined)
      return undefined;
    // A repository may have a symbolic link to a folder outside of it.
    if (lstatSync(dirname(path)).isSymbolicLink()) throw new Error("its folder is a symbolic link");
    linkJson = readLinkText(path);
  } catch (error) {
    // ENOTDIR: another program may have a file called `.mgmt`.
    if (["ENOENT", "ENOTDIR"].includes(readErrorCode(error) ?? "")) return undefined;
    throw unreadableLinkError(path, error);
  }
  const value = parseLinkJson(path, linkJson);
  if (!isLink(value))
    throw corruptLinkError(path, "it does not contain a profile, workspaceId, projectId and protect");
  return value;
};

/** Reads only a regular file: does not follow a symbolic link, wait for the writer of a named pipe, or read a device. */
const readLinkText = (path: string): string => {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error("it is not a regular file");
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
};

const parseLinkJson = (path: string, linkJson: string): unknown => {
  try {
    return JSON.parse(linkJson);
  } catch {
    throw corruptLinkError(path, linkJson.trim() === "" ? "it is empty" : "it is not JSON");
  }
};

/** Unknown fields, which a newer version may have added, are allowed. */
const isLink = (value: unknown): value is Link => {
  if (!isObject(value)) return false;
  const { profile, workspaceId, projectId, protect } = value;
  const isName = profile === undefined || (typeof profile === "string" && isValidProfileName(profile));
  if (protect !== undefined && typeof protect !== "boolean") return false;
  return isName && [workspaceId, projectId].every((id) => id === undefined || isId(id));
};
