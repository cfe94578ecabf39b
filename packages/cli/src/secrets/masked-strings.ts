import { isObject } from "../json/json-path.js";

/** Returns the secrets of a resource: the strings that its masked copy does not have. */
export const collectMaskedStrings = (resource: unknown, maskedResource: unknown): string[] => {
  if (typeof resource === "string") return resource === maskedResource ? [] : [resource];
  if (Array.isArray(resource)) {
    return resource.flatMap((element, index) =>
      collectMaskedStrings(element, Array.isArray(maskedResource) ? maskedResource[index] : undefined),
    );
  }
  if (!isObject(resource)) return [];
  return Object.entries(resource).flatMap(([name, value]) =>
    collectMaskedStrings(value, isObject(maskedResource) ? maskedResource[name] : undefined),
  );
};
