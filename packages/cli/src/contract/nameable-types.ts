import { idPrefixes } from "./generated/id-prefixes.js";
import { getResourceTypeByPrefix } from "./resource-types.js";

/** Kinds of resources that can be named on the command line. */
export const nameableTypes = ["project", "branch", "database", "connection", "workspace", "app"] as const;
/** A resource type whose resources users can name instead of passing an id. */
export type NameableType = (typeof nameableTypes)[number];

/** Returns the resource type whose ids have a prefix, if its resources can be named. */
export const getNameableTypeByPrefix = (prefix: string | undefined): NameableType | undefined => {
  const resourceType = getResourceTypeByPrefix(prefix);
  return nameableTypes.find((name) => name === resourceType);
};

/**
 * Returns whether a string is a name, or is at least not recognizable as an id. `null`, blank strings, and dot segments, which are neither, are
 * rejected later.
 */
export const mightBeName = (idOrName: string): boolean => {
  if (/^\s*(?:\.|%2e){0,2}\s*$/i.test(idOrName) || idOrName === "null") return false;
  const hasPrefix = Object.values(idPrefixes).some((prefix) => idOrName.startsWith(prefix));
  return !(/^[\w.-]+$/.test(idOrName) && (hasPrefix || /^[0-9a-z]{24,}$/.test(idOrName)));
};
