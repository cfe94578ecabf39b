import { setAtPath, getAtPath } from "../json/json-path.js";

/** Returns a copy of a resource, or of each resource of a list, with only the fields at the dotted paths. Absent ones are null. */
export const pickFields = (value: unknown, paths: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((element) => pickFields(element, paths));
  const pickedFields = {};
  for (const path of paths)
    setAtPath(pickedFields, path.split("."), getAtPath(value, path.split(".")) ?? null);
  return pickedFields;
};
