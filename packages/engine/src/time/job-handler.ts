import type { DatabaseEngine } from "../request/database-engine.js";
import type { DatabaseWork } from "../request/database-work.js";
import type { Transactions } from "../request/transactions.js";
import type { Settings } from "../request/settings.js";

/** The world of a job, which may wait for real databases, and changes rows in transactions. */
export interface JobWorld extends Transactions {
  readonly settings: Settings;
  readonly databaseEngine: DatabaseEngine;
  readonly databaseWork: DatabaseWork;
}

/** Thrown by a job whose change no longer applies. The request that waits for the job runs again from its check. */
export class SupersededError extends Error {}

/**
 * Does the work of one kind of job. The row may be gone or have changed since the job was scheduled. An error fails the request
 * that waits for the job; without such a request it is a defect.
 *
 * @param subject id of the row that the job works on.
 * @param change id of the change that the job makes, if it makes one.
 */
export type JobHandler = (
  world: JobWorld,
  subject: string,
  change: string | undefined,
) => void | Promise<void>;

/** Handlers by kind of job. */
export type JobHandlers = Readonly<Record<string, JobHandler>>;
