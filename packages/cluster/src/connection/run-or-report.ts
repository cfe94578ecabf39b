import { DatabaseUnavailableError } from "@mgmt/engine";
import { SuperuserConnectedError } from "./superuser-connected.js";
import { UnresponsiveSessionsError } from "./unresponsive-sessions.js";

/**
 * Runs a callback. If Postgres rejects it, reports `failureMessage` with the reason, so that other work can continue.
 *
 * @param failureMessage the message for the operator, such as "The role a could not be dropped".
 * @returns whether the callback succeeded.
 * @throws DatabaseUnavailableError when the callback can be repeated.
 */
export type RunOrReport = (failureMessage: string, callback: () => Promise<void>) => Promise<boolean>;

/** Drops a database. If Postgres rejects it, reports that. Returns whether it is dropped. */
export const dropOrReport = (
  runOrReport: RunOrReport,
  copier: { drop(name: string): Promise<void> },
  name: string,
): Promise<boolean> =>
  runOrReport(`The Postgres database ${name} could not be dropped`, () => copier.drop(name));

/** @param report receives a message about each failure. */
export const createRunOrReport =
  (report: (problem: string) => void): RunOrReport =>
  async (failureMessage, callback) => {
    try {
      await callback();
      return true;
    } catch (error) {
      const isRejected =
        !(error instanceof DatabaseUnavailableError) ||
        error instanceof SuperuserConnectedError ||
        error instanceof UnresponsiveSessionsError;
      if (!isRejected) throw error;
      report(`${failureMessage}: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  };
