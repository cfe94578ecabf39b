import { isTooDeep } from "@mgmt/internal/values/is-too-deep";

/** How many objects and arrays may be inside each other. Functions that call themselves for each have a limit that is no one's choice. */
export const maxLevels = 100;

/** Returns whether a value of JSON has more levels than `maxLevels`. */
export const isNestedTooDeep = (value: unknown): boolean => isTooDeep(value, maxLevels);
