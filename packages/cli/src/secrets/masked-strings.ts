import { isObject } from "../json/json-path.js";

/** Returns the secrets of a resource: the strings that its masked copy does not have. */
export const maskedStrings = (resource: unknown, masked: unknown): string[] => {
  if (typeof resource === "string") return resource === masked ? [] : [resource];
  if (Array.isArray(resource)) {
    return resource.flatMap((item, index) =>
      maskedStrings(item, Array.isArray(masked) ? masked[index] : undefined),
    );
  }
  if (!isObject(resource)) return [];
  return Object.entries(resource).flatMap(([name, value]) =>
    maskedStrings(value, isObject(masked) ? masked[name] : undefined),
  );
};
