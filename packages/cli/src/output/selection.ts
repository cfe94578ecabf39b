import { setAt, valueAt } from "../json/json-path.js";

/** Returns a copy of a resource, or of each resource of a list, with only the fields at the dotted paths. Absent ones are null. */
export const pick = (value: unknown, paths: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((item) => pick(item, paths));
  const picked = {};
  for (const path of paths) setAt(picked, path.split("."), valueAt(value, path.split(".")) ?? null);
  return picked;
};
