import { idPrefixes } from "../contract/generated/id-prefixes.js";

/** Returns the ids of the connections in a resource, whose passwords can be read or replaced. */
export const connectionIdsIn = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  const id: unknown = "id" in value ? value.id : undefined;
  const own = typeof id === "string" && id.startsWith(idPrefixes.connection) ? [id] : [];
  return [...own, ...Object.values(value).flatMap(connectionIdsIn)];
};
