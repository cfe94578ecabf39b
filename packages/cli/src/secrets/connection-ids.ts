import { idPrefixes } from "../contract/generated/id-prefixes.js";

/** Returns the ids of the connections in a resource, whose passwords can be read or replaced. */
export const collectConnectionIds = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  const id: unknown = "id" in value ? value.id : undefined;
  const ownIds = typeof id === "string" && id.startsWith(idPrefixes.connection) ? [id] : [];
  return [...ownIds, ...Object.values(value).flatMap(collectConnectionIds)];
};
