import type { RequestContext } from "../context/request-context.js";
import type { RunningJob } from "../context/scheduler.js";

/** The context of a job, which may wait for real databases, and changes rows in transactions. */
export type JobContext = Pick<RequestContext, "settings" | "databaseEngine" | "databaseWork" | "transact">;

/** Thrown by a job whose change no longer applies. The request that waits for the job runs again from its check. */
export class SupersededError extends Error {}

/** Thrown when another process has claimed the job, so nothing is left to do. */
export class JobClaimedError extends SupersededError {}

/** Thrown by a job that has stored its failure in the row of its subject, so that it is not repeated. */
export class StoredFailureError extends Error {
  override readonly name = "StoredFailureError";

  constructor(override readonly cause: unknown) {
    super("The job has failed");
  }
}

/** Thrown for a job that has failed so often that it is not repeated. */
export class DeadJobError extends Error {
  override readonly name = "DeadJobError";
}

/**
 * Does the work of one kind of job. The row may be gone or have changed since the job was scheduled. An error fails the request
 * that waits for the job. Without such a request it is a defect, and a stored server repeats the job, so a handler must be safe to repeat,
 * unless it is a `StoredFailureError`.
 *
 * @param subject id of the row that the job works on.
 */
export type JobHandler = (context: JobContext, subject: string, job: RunningJob) => void | Promise<void>;

/** Handlers by kind of job. */
export type JobHandlers = Readonly<Record<string, JobHandler>>;
