import { tooDeepError } from "../errors/response-errors.js";
import { isNestedTooDeep, maxLevels } from "../json/nesting.js";

/** Throws `data:too_deep` if a value of JSON has more levels than that. Returns the value. */
export const checkNesting = <T>(value: T): T => {
  if (isNestedTooDeep(value)) throw tooDeepError(maxLevels);
  return value;
};
