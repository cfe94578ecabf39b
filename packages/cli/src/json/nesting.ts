import { isTooDeep } from "@mgmt/internal/values/is-too-deep";

/** Maximum nesting depth of objects and arrays. Without it, the depth of recursive functions would be limited by the stack size. */
export const maxLevels = 100;

/** Returns whether a value of JSON has more levels than `maxLevels`. */
export const isNestedTooDeep = (value: unknown): boolean => isTooDeep(value, maxLevels);
