import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { corruptLink, unreadableLink } from "../errors/storage-errors.js";
import { isId } from "../input/ids.js";
import { isObject } from "../json-path.js";
import { isProfileName } from "./profile.js";

/** What commands use in a folder and all folders below it. Contains no secret, so that it can be committed. */
export interface Link {
  readonly profile?: string;
  readonly workspaceId?: string;
  readonly projectId?: string;
}

export interface FoundLink {
  file: string;
  link: Link;
}

export const linkFileIn = (folder: string): string => join(folder, ".mgmt", "link.json");

/** Returns the link of the folder, else of the nearest folder above. Throws `link:unreadable` or `link:corrupt`. */
export const findLink = (folder: string): FoundLink | undefined => {
  for (const file of linkFilesFrom(folder)) {
    const link = readLink(file);
    if (link) return { file, link };
  }
  return undefined;
};

/** Returns where a link for the folder can be, nearest first. */
export const linkFilesFrom = (folder: string): string[] => {
  const parent = dirname(folder);
  return [linkFileIn(folder), ...(parent === folder ? [] : linkFilesFrom(parent))];
};

/** Returns undefined when the file does not exist. Throws `link:unreadable` or `link:corrupt`. */
export const readLink = (file: string): Link | undefined => {
  let text: string;
  try {
    // An exception for every folder without a link would take longer than everything else here.
    if (!statSync(file, { throwIfNoEntry: false })) return undefined;
    text = readFileSync(file, "utf8");
  } catch (error) {
    // ENOTDIR: another program may have a file called `.mgmt`.
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw unreadableLink(file, error);
  }
  const value = parse(file, text);
  if (!isLink(value)) throw corruptLink(file, "it does not contain a profile, workspaceId and projectId");
  return value;
};

const parse = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw corruptLink(file, text.trim() === "" ? "it is empty" : "it is not JSON");
  }
};

/** Unknown fields, which a newer version may have added, are allowed. */
const isLink = (value: unknown): value is Link => {
  if (!isObject(value)) return false;
  const { profile, workspaceId, projectId } = value;
  const isName = profile === undefined || (typeof profile === "string" && isProfileName(profile));
  return isName && [workspaceId, projectId].every((id) => id === undefined || isId(id));
};
