import { DatabaseUnavailableError } from "../context/database-engine.js";
import { jobHandlers } from "../rules/handlers.js";
import { type JobHandler, StoredFailureError, SupersededError } from "../jobs/job-handler.js";

/**
 * Finds the handler of a kind of job and passes it to `callHandler`. Reports an unexpected error as a defect, unless a request waits for
 * the job and receives the error.
 *
 * @param isAwaited whether a request waits for the job.
 * @returns the error of the job, or undefined when it succeeds.
 */
export const runJob = async (
  kind: string,
  isAwaited: boolean,
  onDefect: (error: unknown) => void,
  callHandler: (handler: JobHandler) => Promise<void>,
): Promise<unknown> => {
  try {
    const handler = jobHandlers[kind];
    if (!handler) throw new Error(`There is no handler for jobs of the kind ${kind}`);
    await callHandler(handler);
    return undefined;
  } catch (error) {
    const failure = error instanceof StoredFailureError ? error.cause : error;
    if (isAwaited) return failure;
    const isExpected = failure instanceof SupersededError || failure instanceof DatabaseUnavailableError;
    if (!isExpected) onDefect(failure);
    return error;
  }
};
