import type { Clock } from "../values/clock.js";

/** Work that is due at a time of the server's clock. Plain JSON, because snapshots contain the pending jobs. */
export interface Job {
  /** Names the handler: `database.provision`. */
  kind: string;
  /** Id of the row that the job works on. */
  subject: string;
  /** Milliseconds since 1970. */
  dueAt: number;
  /** Id of the change that the job makes, if it makes one. */
  change?: string;
  /** How many earlier attempts could not reach the database server, from 1. Absent if none. */
  outages?: number;
}

/** A job that a process runs. */
export interface RunningJob extends Job {
  readonly id: string;
  /** The session of the process; null in memory. */
  readonly owner: string | null;
}

export interface Scheduler {
  /** Schedules a job in `delay` milliseconds. With 0 it starts soon, but never during this call. */
  schedule(clock: Clock, kind: string, subject: string, delay: number, change?: string): Job;
  /**
   * Schedules a job again that could not reach the database server, after a random delay that grows with each attempt.
   *
   * @param draw a number from 0 up to 1, which is the same whenever the step runs again.
   */
  repeat(clock: Clock, job: Job, draw: number): void;
  /**
   * Makes the transaction that stores the result of a job fail unless its process has the job until the commit. A job that was canceled has
   * no other process.
   *
   * @throws LockLostError when another process has the job.
   */
  requireOwned(job: RunningJob): void;
  /** Removes the jobs of the subject, so that they do not run again: all jobs, the jobs of one kind, or the jobs of one change. */
  cancel(clock: Clock, subject: string, kind?: string, change?: string): void;
}

/** Returns whether a job has a kind and a change, each if given. */
export const matchesJob = (job: Job, kind: string | undefined, change: string | undefined): boolean =>
  (kind === undefined || job.kind === kind) && (change === undefined || job.change === change);
