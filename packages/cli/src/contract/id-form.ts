import { idPrefixes } from "./generated/id-prefixes.js";
import { getKindByPrefix } from "./kinds.js";

/** Kinds of resources that can be named on the command line. */
export const namedKinds = ["project", "branch", "database", "connection", "workspace", "app"] as const;
/** A kind whose resources people can name instead of an id. */
export type NamedKind = (typeof namedKinds)[number];

/** Returns the kind whose ids have a prefix, if its resources can be named. */
export const getNamedKindByPrefix = (prefix: string | undefined): NamedKind | undefined => {
  const kind = getKindByPrefix(prefix);
  return namedKinds.find((name) => name === kind);
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
