import { idPrefixes } from "./generated/id-prefixes.js";
import { kindOfPrefix } from "./kinds.js";

/** Kinds of resources that can be named on the command line. */
export const namedKinds = ["project", "branch", "database", "connection", "workspace", "app"] as const;
export type NamedKind = (typeof namedKinds)[number];

/** Returns the kind whose ids have a prefix, if its resources can be named. */
export const namedKindOf = (prefix: string | undefined): NamedKind | undefined => {
  const kind = kindOfPrefix(prefix);
  return namedKinds.find((each) => each === kind);
};

/** Whether a text is a name, or is at least not recognizable as an id. `null` is refused as a value later. */
export const mayBeName = (text: string): boolean => {
  if (!/[\p{L}\p{N}]/u.test(text) || /[%\s]/.test(text) || text === "null") return false;
  const isId =
    /^[0-9a-z]{24,}$/.test(text) || Object.values(idPrefixes).some((prefix) => text.startsWith(prefix));
  return /[/@]/.test(text) || !isId;
};
