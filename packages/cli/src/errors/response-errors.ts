import { CliError } from "./cli-error.js";

/** A success status with a body that does not match the contract. */
export const unexpectedResponseError = (expected: string): CliError =>
  new CliError(
    "failure",
    "response:invalid",
    `The service sent an unexpected response: it is not ${expected}`,
    "Check that the base URL (MGMT_BASE_URL, --base-url) is the URL of the Management API.",
  );

/** @param maxLevels how many there may be, or undefined if the stack of this program was the limit. */
export const tooDeepError = (maxLevels?: number): CliError =>
  new CliError(
    "failure",
    "data:too_deep",
    `The data is nested ${maxLevels === undefined ? "too deeply" : `more than ${String(maxLevels)} levels deep`}, so that it cannot be printed or changed`,
    "If it is a response, the request was carried out: check that the base URL (MGMT_BASE_URL, --base-url) is the URL of the Management API.",
  );
