import { DatabaseUnavailableError } from "@mgmt/engine";
import { SuperuserConnectedError } from "./superuser-connected.js";

/**
 * Does the work. If Postgres refuses it, reports `failure` with the reason, so that other work can continue.
 *
 * @param failure the message for the operator, such as "The role a could not be dropped".
 * @returns whether the work succeeded.
 * @throws DatabaseUnavailableError when the work can be repeated.
 */
export type Attempt = (failure: string, work: () => Promise<void>) => Promise<boolean>;

/** @param report receives a message about each failure. */
export const createAttempt =
  (report: (problem: string) => void): Attempt =>
  async (failure, work) => {
    try {
      await work();
      return true;
    } catch (error) {
      const isRefused =
        !(error instanceof DatabaseUnavailableError) || error instanceof SuperuserConnectedError;
      if (!isRefused) throw error;
      report(`${failure}: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  };
