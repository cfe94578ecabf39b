import { CliError } from "./cli-error.js";

/** A success status with a body that does not match the contract. */
export const unexpectedResponse = (expected: string): CliError =>
  new CliError(
    "failure",
    "response:invalid",
    `The service sent an unexpected response: it is not ${expected}`,
    "Check that the base URL (MGMT_BASE_URL, --base-url) is the address of the Management API.",
  );
