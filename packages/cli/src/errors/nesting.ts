import { isTooDeep } from "@mgmt/internal/values/is-too-deep";
import { CliError } from "./cli-error.js";

/** How many objects and arrays may be inside each other. Functions that call themselves for each have a limit that is no one's choice. */
export const maxLevels = 100;

/** Whether a value of JSON has more levels than that. */
export const isNestedTooDeep = (value: unknown): boolean => isTooDeep(value, maxLevels);

/** @param levels How many there may be. Undefined if the stack of this program was the limit. */
export const tooDeep = (levels?: number): CliError =>
  new CliError(
    "failure",
    "data:too_deep",
    `The data is nested ${levels === undefined ? "too deeply" : `more than ${String(levels)} levels deep`}, so that it cannot be printed or changed`,
    "If it is a response, the request was carried out: check that the base URL (MGMT_BASE_URL, --base-url) is the address of the Management API.",
  );

/** Throws `data:too_deep` if a value of JSON has more levels than that. Returns the value. */
export const checkNesting = <T>(value: T): T => {
  if (isNestedTooDeep(value)) throw tooDeep(maxLevels);
  return value;
};
