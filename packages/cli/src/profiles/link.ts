import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { corruptLink, unreadableLink } from "../errors.js";
import { isProfileName } from "./profile.js";

/** What a folder, with all below it, works on. No secret: it may be handed on with the folder. */
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

/** The link of the folder, or of the nearest one above it. Throws for one that cannot be read or holds something else. */
export const findLink = (folder: string = process.cwd()): FoundLink | undefined => {
  for (const file of filesFrom(folder)) {
    const link = readLink(file);
    if (link) return { file, link };
  }
  return undefined;
};

/** Where a link of the folder can be, the nearest first. */
export const filesFrom = (folder: string): string[] => {
  const above = dirname(folder);
  return [linkFileIn(folder), ...(above === folder ? [] : filesFrom(above))];
};

/** Undefined when there is none. */
export const readLink = (file: string): Link | undefined => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    // `.mgmt` may be a file of somebody else's.
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw unreadableLink(file, error);
  }
  const value = parse(file, text);
  if (!isLink(value)) throw corruptLink(file, "it does not hold a profile, workspaceId and projectId");
  return value;
};

const parse = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw corruptLink(file, text.trim() === "" ? "it is empty" : "it is not JSON");
  }
};

/** Fields that a later version has added do no harm. */
const isLink = (value: unknown): value is Link => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  // The check above makes it an object; of its fields nothing is known yet.
  const { profile, workspaceId, projectId } = value as Partial<Record<keyof Link, unknown>>;
  const isName = profile === undefined || (typeof profile === "string" && isProfileName(profile));
  return isName && [workspaceId, projectId].every((id) => id === undefined || isId(id));
};

/** Ids go to the service as they are. */
export const isId = (value: unknown): boolean =>
  typeof value === "string" && /^[A-Za-z][\w-]{0,127}$/.test(value);
