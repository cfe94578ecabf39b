import { tooDeepError } from "../errors/response-errors.js";
import { isNestedTooDeep, maxLevels } from "../json/nesting.js";

/** Throws `data:too_deep` if a value of JSON has too many levels. Returns the value. */
export const requireShallow = <T>(value: T): T => {
  if (isNestedTooDeep(value)) throw tooDeepError(maxLevels);
  return value;
};
