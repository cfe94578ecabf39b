import type { World } from "../request/world.js";

/** Work to be done at a time of the server's clock. Plain JSON: pending jobs are part of a snapshot. */
export interface Job {
  /** Which handler does it: `database.provision`. */
  kind: string;
  /** Id of the row that it is about. */
  subject: string;
  /** Milliseconds since 1970. */
  dueAt: number;
}

/**
 * Does the work of one kind of job. It may find that its subject is gone, or in another state than it was when the job
 * was made, and then does nothing. What it throws is a defect: a job that can fail writes the failure into its subject.
 */
export type JobHandler = (world: World, subject: string) => void | Promise<void>;

/** Handlers by kind of job; `behaviors/index.ts` exports them as `jobs`, beside `behaviors`. */
export type JobHandlers = Readonly<Record<string, JobHandler>>;

export interface Scheduler {
  /** After `delay` milliseconds, or at once when 0 (yet never before the present call has answered). */
  schedule(kind: string, subject: string, delay: number): void;
  /** Drops the subject's jobs that have not begun: all, or those of one kind. */
  cancel(subject: string, kind?: string): void;
}
